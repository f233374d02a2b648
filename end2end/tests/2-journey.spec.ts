// The whole way on the real runtime: Namespace → Secret, Configuration and Agent by the guided creation → deploy → serving →
// a reply → versions. The Agent's name for people is markup; it goes on serving for the files that follow.
import { alive, api, editor, expect, modelKey, modelPort, open, serves, space, test } from './support';

const hostile = '<script>alert(1)</script>';

test.describe.configure({ mode: 'serial', timeout: 300_000 });

test('makes a Namespace', async ({ page, request }) => {
  await open(page, '/console/namespaces/new');
  await page.locator('#name').fill(space);
  await page.getByRole('button', { name: 'Create the Namespace' }).click();
  await expect(page).toHaveURL(new RegExp(`/console/namespaces/${space}$`));
  await expect.poll(async () => (await api(request, 'GET', `/namespaces/${space}`)).status).toBe('ready');
});

test('a refused form keeps what was typed and names the place', async ({ page }) => {
  await open(page, '/console/namespaces/new');
  await page.locator('#name').fill('Not A Label');
  await page.locator('#description').fill('kept');
  await page.getByRole('button', { name: 'Create the Namespace' }).click();
  await expect(page.locator('#name-error')).toContainText('lower-case');
  await expect(page.locator('#description')).toHaveValue('kept');
});

test('makes a Secret and a Configuration', async ({ page, request }) => {
  await open(page, `/console/namespaces/${space}/secrets/new`);
  await page.locator('#name').fill('model-key');
  await page.locator('#value').fill(modelKey);
  await page.getByRole('button', { name: 'Create the Secret' }).click();
  await expect(page).toHaveURL(/\/secrets\/model-key$/);
  expect(await page.content()).not.toContain(modelKey);
  await api(request, 'POST', `/namespaces/${space}/configurations`, {
    name: 'reader', kind: 'agent',
    values: {
      models: { providers: { test: { baseUrl: `http://127.0.0.1:${modelPort}/v1`, api: 'openai-completions',
        models: [{ id: 'test-1', name: 'Test model', contextWindow: 128000, maxTokens: 4096 }] } } },
      agents: { defaults: { model: 'test/test-1' } },
    },
  });
  await api(request, 'POST', `/namespaces/${space}/agents`, {
    name: 'reader', displayName: hostile, configuration: 'reader', executionMode: 'embedded',
    harnessAuth: { provider: 'test', apiKey: 'model-key' },
  });
  await api(request, 'PUT', `/namespaces/${space}/secrets/model-key/consumers/reader`);
});

test('the editor offers what the schema of the runtime knows', async ({ page }) => {
  await open(page, `/console/namespaces/${space}/configurations/reader`);
  const document = editor(page);
  await document.click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('Delete');
  await page.keyboard.type('{"age');
  await expect(page.getByRole('option', { name: /"agents"/ })).toBeVisible();
  // What the platform manages is not offered.
  await expect(page.getByRole('option', { name: /"secrets"/ })).toHaveCount(0);
  // By the pointer: in its first moment the list takes no key, lest one that was meant for the text chooses something.
  await page.getByRole('option', { name: /"agents"/ }).click();
  await expect(document).toHaveText('{"agents": }');
});

test('names are text', async ({ page }) => {
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => { dialogs.push(dialog.message()); void dialog.dismiss(); });
  await open(page, `/console/namespaces/${space}/agents`);
  await expect(page.getByText(hostile).first()).toBeVisible();
  await open(page, `/console/namespaces/${space}/agents/reader`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(hostile);
  expect(dialogs).toEqual([]);
});

test('a double click on Deploy admits one revision, which comes to serve', async ({ page, request }) => {
  await open(page, `/console/namespaces/${space}/agents/reader`);
  await page.getByRole('button', { name: 'Deploy', exact: true }).dblclick();
  await expect.poll(async () => (await api(request, 'GET', `/namespaces/${space}/agents/reader/revisions`)).items.length).toBe(1);
  await serves(request, 'reader', 1);
  // Live, without a reload.
  await expect(page.getByText('Revision 1', { exact: true }).first()).toBeVisible();
  const revisions = await api(request, 'GET', `/namespaces/${space}/agents/reader/revisions`);
  expect(revisions.items.length).toBe(1);
});

test('answers in the chat, through its own gateway', async ({ page }) => {
  await open(page, `/console/namespaces/${space}/agents/reader/chat`);
  await page.locator('#message').fill('Hello from the browser');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByText(/Hello from the browser.*message 1/)).toBeVisible({ timeout: 120_000 });
  await page.reload();
  await alive(page);
  await expect(page.getByText(/Hello from the browser.*message 1/)).toBeVisible({ timeout: 60_000 });
});

test('shows versions, deployments and logs', async ({ page }) => {
  for (const [tab, text] of [['versions', /1/], ['deployments', /serving/i], ['logs', /gateway/i]] as const) {
    await open(page, `/console/namespaces/${space}/agents/reader/${tab}`);
    await expect(page.getByRole('main').getByText(text).first()).toBeVisible();
  }
  // Conversations belong to people (I10), whoever may read logs.
  await expect(page.getByRole('log')).not.toContainText('Hello from the browser');
});
