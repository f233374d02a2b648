// What a newcomer stumbled over: words that must be true, said once and readable; a conversation that is read and written at its end.
import type { Page } from '@playwright/test';
import { alive, api, editor, expect, expectErrors, open, serves, space, test } from './support';

const home = `/console/namespaces/${space}`;

test.describe.configure({ timeout: 300_000 });

const seen = (page: Page, selector: string) => page.locator(selector).last().evaluate((element) => {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= window.innerHeight;
});

async function say(page: Page, text: string): Promise<void> {
  await page.locator('#message').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

test('a conversation opens at its end and follows it, unless the reader has scrolled up', async ({ page }) => {
  await open(page, `${home}/agents/reader/chat?conversation=long`);
  for (let n = 1; n <= 2; n++) {
    await say(page, `${'A line to be long.\n'.repeat(60)}SAY answer number ${n}`);
    await expect(page.locator('.chat .it').last()).toContainText(`answer number ${n}`, { timeout: 120_000 });
  }
  for (const [width, height] of [[1440, 900], [360, 640]] as const) {
    await page.setViewportSize({ width, height });
    await page.reload();
    await alive(page);
    await expect(page.locator('.chat .it').last()).toContainText('answer number 2');
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(500);
    await expect.poll(() => seen(page, '.chat .it')).toBe(true);
    expect(await seen(page, '#message'), 'the message box is in view').toBe(true);
    // Wherever one reads, the box stays.
    await page.mouse.move(width / 2, height / 3);
    await page.mouse.wheel(0, -1500);
    await expect.poll(() => page.evaluate(() => window.scrollY + window.innerHeight < document.documentElement.scrollHeight - 300)).toBe(true);
    expect(await seen(page, '#message'), 'the message box is in view').toBe(true);
    // The way here by a link ends at the end, too.
    await page.getByRole('navigation', { name: 'Agent' }).getByRole('link', { name: 'Overview' }).click();
    await page.goBack();
    await expect.poll(() => seen(page, '.chat .it')).toBe(true);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  // It follows what is said …
  await say(page, `SLEEP=3\nSAY ${'a sentence that goes on and on, '.repeat(80)}first end`);
  await expect(page.locator('.chat .it').last()).toContainText('first end', { timeout: 120_000 });
  await expect.poll(() => page.evaluate(() => window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - 60)).toBe(true);
  // … and leaves alone who reads above.
  await say(page, `SLEEP=6\nSAY ${'a sentence that goes on and on, '.repeat(80)}second end`);
  await expect(page.locator('.chat .it[aria-busy]')).toContainText('a sentence', { timeout: 120_000 });
  await page.mouse.move(700, 300);
  await page.mouse.wheel(0, -1200);
  await page.waitForTimeout(500);
  const reading = await page.evaluate(() => window.scrollY);
  await expect(page.locator('.chat .it').last()).toContainText('second end', { timeout: 120_000 });
  expect(Math.abs(await page.evaluate(() => window.scrollY) - reading)).toBeLessThan(60);
});

test('what an Agent says is read as Markdown, and only as that', async ({ page }) => {
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => { dialogs.push(dialog.message()); void dialog.dismiss(); });
  await open(page, `${home}/agents/reader/chat`);
  await page.getByRole('button', { name: 'New conversation' }).click();
  await expect(page).toHaveURL(/chat\?conversation=c-[0-9a-f]+$/);
  await expect(page.getByText('Nothing was said yet.')).toBeVisible();
  await say(page, 'SAY It is **bold**, `code`, <img src=x onerror=alert(1)> [out](https://example.org/) [bad](javascript:alert(1))');
  const said = page.locator('.chat .md').last();
  for (const round of ['said', 'read again']) {
    await expect(said.locator('strong'), round).toHaveText('bold', { timeout: 120_000 });
    await expect(said.locator('code')).toHaveText('code');
    await expect(said).toContainText('<img src=x onerror=alert(1)>');
    await expect(said.locator('img, script')).toHaveCount(0);
    const link = said.locator('a');
    await expect(link).toHaveCount(1);
    await expect(link).toHaveAttribute('href', 'https://example.org/');
    await expect(link).toHaveAttribute('rel', /noopener/);
    await page.reload();
    await alive(page);
  }
  await page.getByRole('link', { name: 'Main conversation' }).click();
  await expect(page).toHaveURL(/chat$/);
  await expect(page.getByText('Hello from the browser').first()).toBeVisible();
  expect(dialogs).toEqual([]);
});

test('a message that is too long is told so and stays where it was typed', async ({ page }) => {
  await open(page, `${home}/agents/reader/chat`);
  const long = 'x'.repeat(200_000);
  await say(page, long);
  await expect(page.getByText('The message is too long.')).toBeVisible();
  await expect(page.locator('#message')).toHaveValue(long);
  await expect(page.locator('.chat .me', { hasText: 'xxxxxxxx' })).toHaveCount(0);
});

test('a refused document is told once, at its place and in words, and the telling goes with the text', async ({ page, errors }) => {
  await open(page, `${home}/configurations/reader`);
  const write = async (text: string) => {
    await editor(page).click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('Backspace');
    await page.keyboard.insertText(text);
  };
  await write('{"gateway": {"port": "x"}, "models": {"providers": {}}}');
  await page.getByRole('button', { name: /^Save generation/ }).click();
  const places = page.getByRole('main').getByText('gateway › port');
  await expect(places.first()).toBeVisible();
  await page.waitForTimeout(1500);
  await expect(places).toHaveCount(1);
  await expect(page.getByRole('main').getByText('/values')).toHaveCount(0);
  await expect(page.getByRole('main').getByRole('alert')).toHaveCount(1);
  // Typed over what is marked, as the browser does it, breaks no policy: the errors of this page are looked at.
  await editor(page).click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('{"a": [1, tru', { delay: 30 });
  await page.waitForTimeout(1000);
  await expect(places).toHaveCount(0);
  await expect(page.getByRole('main').getByRole('alert')).toHaveCount(1);
  await expect(page.getByText(/It is not JSON/)).toBeVisible();
  for (let n = 0; n < 14; n++) await page.keyboard.press('Backspace');
  await expect(page.getByText('The document is empty.')).toBeVisible();
  expectErrors(errors, /status of 400/);
});

test('a name in use is said once, beside its field, until it is changed', async ({ page, errors }) => {
  await open(page, '/console/namespaces/new');
  await page.locator('#name').fill(space);
  await page.getByRole('button', { name: 'Create the Namespace' }).click();
  await expect(page.locator('#name-error')).toContainText('in use');
  const main = page.getByRole('main');
  await expect(main.getByText(/in use/)).toHaveCount(1);
  await expect(main.getByText('/name')).toHaveCount(0);
  await page.locator('#name').fill(`${space}-2`);
  await expect(main.getByText(/in use/)).toHaveCount(0);
  await expect(main.getByRole('alert')).toHaveCount(0);
  expectErrors(errors, /status of 409/);
});

test('the guided creation names every missing field at once, and offers only what goes together', async ({ page }) => {
  await open(page, `${home}/agents/new`);
  await page.getByRole('button', { name: 'Create the Agent' }).click();
  for (const field of ['name', 'key', 'model']) await expect(page.locator(`#${field}-error`)).not.toBeEmpty();
  await page.locator('#name').fill('some-agent');
  await expect(page.locator('#name-error')).toBeEmpty();
  await expect(page.locator('#model-error')).not.toBeEmpty();
  await page.getByRole('radio', { name: /Dedicated/ }).check();
  await page.locator('#provider').selectOption('anthropic');
  await expect(page.getByRole('radio', { name: /Dedicated/ })).toBeDisabled();
  await expect(page.getByRole('radio', { name: /Embedded/ })).toBeChecked();
  await page.locator('#provider').selectOption('custom');
  await expect(page.getByRole('radio', { name: /Dedicated/ })).toBeEnabled();
});

test('the search finds what is in another Namespace', async ({ page, request }) => {
  if (!(await api(request, 'GET', '/namespaces')).items.some((n: { name: string }) => n.name === 'elsewhere')) {
    await api(request, 'POST', '/namespaces', { name: 'elsewhere' });
  }
  await open(page, '/console/namespaces/elsewhere/agents');
  await page.keyboard.press('ControlOrMeta+K');
  await page.getByRole('combobox').fill('guid');
  await expect(page.getByRole('option', { name: /guided.*Agent.*in journey/ })).toBeVisible();
  await page.getByRole('combobox').fill('no such thing anywhere');
  await expect(page.getByText('Nothing is called that, in no Namespace that you may read.')).toBeVisible();
  await page.getByRole('combobox').fill('guid');
  await page.getByRole('option', { name: /guided.*Agent/ }).click();
  await expect(page).toHaveURL(/journey\/agents\/guided$/);
});

test('after a deployment with a wrong key every page says what serves, and nothing else', async ({ page, request }) => {
  const path = `/namespaces/${space}/secrets/model-key`;
  const before = await api(request, 'GET', `/namespaces/${space}/agents/reader`);
  const number = before.activeRevision.number;
  const { newest } = { newest: (await api(request, 'GET', `/namespaces/${space}/agents/reader/revisions`)).items.length };
  await api(request, 'POST', `${path}/versions`, { value: 'not-the-key' });
  await api(request, 'POST', `/namespaces/${space}/agents/reader/deploy`);
  const failed = async () => (await api(request, 'GET', `/namespaces/${space}/agents/reader`)).deployment?.failure?.code;
  await expect.poll(failed, { timeout: 240_000 }).toBe('MODEL_CREDENTIAL_REJECTED');
  await open(page, `${home}/agents/reader`);
  const main = page.getByRole('main');
  await expect(main.getByText(`Revision ${number} keeps serving; no turn was interrupted.`)).toBeVisible();
  // Only the key was wrong.
  await expect(main.locator('.steps li.failed')).toHaveCount(1);
  await expect(main.locator('.steps li.failed')).toContainText('Proving the model credential');
  await open(page, `${home}/agents`);
  await expect(main.getByText('2 serving')).toBeVisible();
  await open(page, '/console');
  await expect(main.getByRole('row', { name: /Journey/ })).toContainText('2 Agents, 2 serving');
  // The revision that never served is marked, and going back to it is not what is offered first.
  await open(page, `${home}/agents/reader/versions`);
  const rows = page.getByRole('table', { name: 'Versions' }).getByRole('row');
  const row = rows.filter({ has: page.locator('.name', { hasText: new RegExp(`^${newest + 1}$`) }) });
  await expect(row).toContainText('Never served');
  await expect(row).toContainText('The model provider refused the key.');
  await expect(row.getByRole('button', { name: 'Roll back', exact: true })).toHaveCount(0);
  await expect(rows.getByRole('button', { name: 'Roll back', exact: true }).first()).toBeVisible();
  // Operations names the Agent and says why in words, at any width.
  for (const width of [1280, 1024, 360]) {
    await page.setViewportSize({ width, height: 860 });
    await open(page, '/console/operations');
    const given = page.getByRole('row').filter({ hasText: 'The model provider refused the key' }).first();
    await expect(given).toContainText('given up at the first attempt');
    await expect(given.getByRole('link', { name: `reader in ${space}` })).toBeVisible();
    await expect(main.getByText('MODEL_CREDENTIAL_REJECTED')).toHaveCount(0);
    expect((await given.boundingBox())!.height, `${width} px`).toBeLessThan(width < 760 ? 170 : 90);
    const name = (await given.locator('.name').boundingBox())!;
    expect(name.width, 'the work is not squeezed').toBeGreaterThan(150);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(wider, 'the page scrolls sideways').toBeLessThanOrEqual(0);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await api(request, 'POST', `${path}/versions`, { value: 'demo-key-of-the-bundled-test-model' });
  await api(request, 'POST', `/namespaces/${space}/agents/reader/deploy`);
  await serves(request, 'reader', newest + 2);
});

test('an address that is not there is a page for people', async ({ page, request, errors }) => {
  await page.goto('/nosuch');
  await expect(page.getByRole('heading', { name: 'There is nothing here' })).toBeVisible();
  await page.getByRole('link', { name: 'To the console' }).click();
  await expect(page).toHaveURL(/\/console$/);
  const answer = await request.get('/nosuch');
  expect([answer.status(), answer.headers()['content-type']]).toEqual([404, 'application/problem+json']);
  const api = await request.get('/api/v1/nosuch', { headers: { accept: 'text/html' } });
  expect([api.status(), api.headers()['content-type']]).toEqual([404, 'application/problem+json']);
  expectErrors(errors, /status of 404/);
});
