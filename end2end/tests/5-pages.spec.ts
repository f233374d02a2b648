// Every page in both themes, narrow and wide: no violation that axe finds, no error in the console; pictures are kept.
import AxeBuilder from '@axe-core/playwright';
import { expect, open, space as name, test } from './support';

const space = `/console/namespaces/${name}`;
const pages: Record<string, string> = {
  home: '/console',
  namespaces: '/console/namespaces',
  'namespace-new': '/console/namespaces/new',
  namespace: space,
  configurations: `${space}/configurations`,
  'configuration-new': `${space}/configurations/new`,
  configuration: `${space}/configurations/reader`,
  generations: `${space}/configurations/reader/generations`,
  secrets: `${space}/secrets`,
  'secret-new': `${space}/secrets/new`,
  secret: `${space}/secrets/model-key`,
  agents: `${space}/agents`,
  'agent-new': `${space}/agents/new`,
  agent: `${space}/agents/reader`,
  deployments: `${space}/agents/reader/deployments`,
  versions: `${space}/agents/reader/versions`,
  'agent-configuration': `${space}/agents/reader/configuration`,
  logs: `${space}/agents/reader/logs`,
  chat: `${space}/agents/reader/chat`,
  access: `${space}/agents/reader/access`,
  settings: `${space}/agents/reader/settings`,
  operations: '/console/operations',
  'agent-dedicated': `${space}/agents/guided`,
  account: '/console/account',
  gallery: '/console/gallery',
};

for (const theme of ['light', 'dark'] as const) {
  for (const [name, path] of Object.entries(pages)) {
    test(`${name}, ${theme}`, async ({ page }) => {
      await page.emulateMedia({ colorScheme: theme });
      for (const width of [360, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        await open(page, path);
        await page.screenshot({ path: `end2end/artefacts/${name}-${theme}-${width}.png`, fullPage: true });
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        expect(wider, 'the page scrolls sideways').toBeLessThanOrEqual(0);
      }
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(' ')).join(', ')}`)).toEqual([]);
    });
  }
}

test('comes alive whatever time the browser thinks it is', async ({ page }) => {
  // The gallery draws a step that is under way: its axis depends on the time.
  await page.clock.setFixedTime(Date.now() + 3_600_000);
  await open(page, '/console/gallery');
});
