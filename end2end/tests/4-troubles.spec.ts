// What goes wrong between a page and the server: answers that come late or never, a session that ends, two people at one thing.
import type { Page, Route } from '@playwright/test';
import { alive, api, editor, expect, expectErrors, open, serves, signIn, space, test } from './support';

const home = `/console/namespaces/${space}`;
const lost = 'It is not known whether this happened.';

test.describe.configure({ timeout: 300_000 });

/** Lets the next call of a server function happen, and loses its answer. */
async function loseAnswer(page: Page, call: string): Promise<void> {
  await page.route(`**/api/fn/${call}`, async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
  }, { times: 1 });
}

/** Holds the next answer that `wanted` accepts until told; the request is made at once. */
async function holdAnswer(page: Page, call: string, wanted: (body: string) => boolean): Promise<{ held: Promise<void>; release: () => Promise<void> }> {
  let give!: () => void, arrived!: () => void, delivered!: () => void;
  const released = new Promise<void>((resolve) => { give = resolve; });
  const held = new Promise<void>((resolve) => { arrived = resolve; });
  const done = new Promise<void>((resolve) => { delivered = resolve; });
  let taken = false;
  await page.route(`**/api/fn/${call}`, async (route: Route) => {
    if (taken || !wanted(route.request().postData() ?? '')) return route.fallback();
    taken = true;
    const response = await route.fetch();
    arrived();
    await released;
    // The page may have dropped the request meanwhile; then there is nobody to give it to.
    await route.fulfill({ response }).catch(() => {});
    delivered();
  });
  return { held, release: async () => { give(); await done; } };
}

test('i17 i18 a lost answer is shown as unknown, blocks the button, and is found out without a second revision', async ({ page, request, errors }) => {
  const revisions = async () => (await api(request, 'GET', `/namespaces/${space}/agents/reader/revisions`)).items.length;
  const before = await revisions();
  await open(page, `${home}/agents/reader`);
  await loseAnswer(page, 'agent_deploy');
  const deploy = page.getByRole('button', { name: 'Deploy', exact: true });
  await deploy.click();
  await expect(page.getByText(lost)).toBeVisible();
  await expect(deploy).toBeDisabled();
  expect(await revisions()).toBe(before + 1);
  await page.getByRole('button', { name: 'Find out' }).click();
  await expect(page.getByText(lost)).toBeHidden();
  await expect(deploy).toBeEnabled();
  expect(await revisions()).toBe(before + 1);
  expectErrors(errors, /ERR_CONNECTION_RESET/);
  await serves(request, 'reader', before + 1);
});

test('rolls back to the first revision, which serves as a new one', async ({ page, request }) => {
  await open(page, `${home}/agents/reader/versions`);
  const rows = page.getByRole('table', { name: 'Versions' }).getByRole('row');
  const first = rows.filter({ has: page.locator('.name', { hasText: /^1$/ }) });
  await first.getByRole('link', { name: 'Against draft' }).click();
  await expect(page.getByRole('heading', { name: 'What differs' })).toBeVisible();
  await first.getByRole('button', { name: 'Roll back' }).click();
  await expect(page).toHaveURL(/\/agents\/reader$/);
  await serves(request, 'reader', 3);
  const newest = await api(request, 'GET', `/namespaces/${space}/agents/reader/revisions/3`);
  expect(newest.copiedFrom).toBe(1);
});

test('a late answer never overwrites a newer view', async ({ page }) => {
  await open(page, `${home}/agents`);
  const late = await holdAnswer(page, 'agent_get', (body) => body.includes('"reader"'));
  const list = page.getByRole('main');
  await list.locator('a[href$="/agents/reader"]').first().click();
  await late.held;
  await page.goBack();
  await list.locator('a[href$="/agents/guided"]').first().click();
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading).toContainText('guided');
  await late.release();
  await expect(page).toHaveURL(/\/agents\/guided$/);
  await expect(heading).toContainText('guided');
  await expect(page.getByText('<script>')).toHaveCount(0);
});

test('a session that ended keeps what was typed, and a late refusal does not end the next session', async ({ browser }) => {
  const context = await browser.newContext({ baseURL: process.env.OCC_URL });
  const page = await context.newPage();
  await signIn(page);
  await open(page, '/console/namespaces/new');
  await page.locator('#name').fill('after-the-end');
  await page.locator('#description').fill('kept');
  await context.clearCookies();
  const late = await holdAnswer(page, 'namespace_create', () => true);
  await page.getByRole('button', { name: 'Create the Namespace' }).click();
  await late.held;
  const other = await context.newPage();
  await signIn(other);
  await late.release();
  await expect(page.getByRole('main').getByText('Sign in', { exact: false }).first()).toBeVisible();
  await expect(page.locator('#description')).toHaveValue('kept');
  await other.reload();
  await expect(other).toHaveURL(/\/console$/);
  await page.getByRole('button', { name: 'Create the Namespace' }).click();
  await expect(page).toHaveURL(/\/console\/namespaces\/after-the-end$/);
  await context.close();
});

test('two people at one Configuration: the later one is told and loses nothing', async ({ page, person, request }) => {
  const path = `/namespaces/${space}/configurations/shared`;
  const values = (await api(request, 'GET', `/namespaces/${space}/configurations/reader`)).values;
  await api(request, 'POST', `/namespaces/${space}/configurations`, { name: 'shared', kind: 'agent', values });
  const called = (name: string) => {
    const changed = structuredClone(values);
    changed.models.providers.test.models[0].name = name;
    return JSON.stringify(changed);
  };
  const other = await person.newPage();
  await open(page, `/console${path}`);
  await open(other, `/console${path}`);
  await write(other, called('Second'));
  await write(page, called('First'));
  await page.getByRole('button', { name: 'Save generation 2' }).click();
  await expect(page.getByText('Saved generation 2.')).toBeVisible();
  // Saved is saved, however it was written.
  await expect(page.getByText('unsaved changes')).toBeHidden();
  await expect(other.getByText('Generation 2 was saved meanwhile.')).toBeVisible();
  // Who saves all the same is refused, and keeps what was written.
  await other.getByRole('button', { name: 'Save generation 2' }).click();
  await expect(other.getByText('Nothing was changed; what you typed stays here.')).toBeVisible();
  await expect(editor(other)).toContainText('Second');
  const saved = await api(request, 'GET', path);
  expect([saved.generation, saved.values.models.providers.test.models[0].name]).toEqual([2, 'First']);
  await other.getByRole('link', { name: 'Compare' }).click();
  await expect(other).toHaveURL(/generations\?from=1&to=2/);
  await other.close();
});

test('a Namespace is called and bounded otherwise; what somebody else changed meanwhile is told, not overwritten', async ({ page, person, request }) => {
  const path = `/namespaces/${space}`;
  const other = await person.newPage();
  await open(page, `/console${path}`);
  await open(other, `/console${path}`);
  await page.locator('#labels').fill('team=papers\nnonsense');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.locator('#labels-error')).toContainText('Line 2');
  await page.locator('#displayName').fill('Journey');
  await page.locator('#labels').fill('team=papers');
  await page.locator('#quota-agents').fill('20');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Journey');
  const { displayName, labels, quotas } = await api(request, 'GET', path);
  expect([displayName, labels, quotas.agents]).toEqual(['Journey', { team: 'papers' }, 20]);
  await expect(other.getByText('Somebody changed this Namespace meanwhile.')).toBeVisible();
  await other.locator('#description').fill('Second');
  await other.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(other.getByText('Nothing was changed; what you typed stays here.')).toBeVisible();
  await expect(other.locator('#description')).toHaveValue('Second');
  await other.getByRole('button', { name: 'Take what is saved' }).click();
  await expect(other.locator('#labels')).toHaveValue('team=papers');
  await other.locator('#labels').fill('');
  await other.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(async () => (await api(request, 'GET', path)).labels).toEqual({});
  await other.close();
});

test('a Secret is described without touching its value', async ({ page, request }) => {
  const path = `/namespaces/${space}/secrets/model-key`;
  const before = await api(request, 'GET', path);
  await open(page, `/console${path}`);
  await page.locator('#description').fill('The key of the test model.');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(async () => (await api(request, 'GET', path)).description).toBe('The key of the test model.');
  expect((await api(request, 'GET', path)).currentVersion).toBe(before.currentVersion);
});

/** Replaces what stands in the editor. */
async function write(page: Page, text: string): Promise<void> {
  await editor(page).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Backspace');
  await page.keyboard.insertText(text);
}

test('a lost stream says so, comes back, and what was missed is there', async ({ page, request, errors }) => {
  let broken = true;
  await page.route('**/api/v1/events', (route) => broken ? route.abort('connectionreset') : route.continue());
  await page.goto(`${home}/secrets`);
  await alive(page);
  await expect(page.getByText('Reconnecting')).toBeVisible();
  await api(request, 'POST', `/namespaces/${space}/secrets`, { name: 'made-meanwhile', value: 'x' });
  broken = false;
  await expect(page.getByText('Live', { exact: true })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText('made-meanwhile').first()).toBeVisible();
  expectErrors(errors, /ERR_CONNECTION_RESET/);
});

test('a panel that cannot be read says why, on a page that comes alive', async ({ page, errors }) => {
  // Once the stream is open, the page reads again what it shows.
  const again = page.waitForResponse('**/api/fn/revision_list');
  await open(page, `${home}/agents/reader/versions?cursor=nonsense`);
  await expect(page.getByRole('main').getByRole('button', { name: 'Try again' })).toBeEnabled();
  await expect(page.getByRole('main').getByRole('button', { name: /^Copy req_/ })).toBeVisible();
  await again;
  await expect.poll(() => errors.length).toBeGreaterThan(0);
  expectErrors(errors, /status of 400/);
});
