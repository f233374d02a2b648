// The guided creation of a dedicated Agent: a refused key is found by "Check" before anything is saved; then it is deployed and
// answers from its own Codex.
import { api, expect, modelKey, modelPort, open, serves, space, test } from './support';

test.describe.configure({ mode: 'serial', timeout: 300_000 });

test('checks the key before anything is saved, then makes and deploys the Agent in one go', async ({ page, request }) => {
  await open(page, `/console/namespaces/${space}/agents/new`);
  await page.locator('#name').fill('guided');
  await page.locator('#provider').selectOption('custom');
  await page.locator('#base-url').fill(`http://127.0.0.1:${modelPort}/v1`);
  await page.getByRole('radio', { name: /Dedicated/ }).check();
  await page.locator('#key').fill('not-the-key');
  await page.getByRole('button', { name: 'Check the key' }).click();
  await expect(page.getByText('Correct the key or the address, then check again.')).toBeVisible({ timeout: 60_000 });
  const agents = async () => (await api(request, 'GET', `/namespaces/${space}/agents`)).items.map((agent: { name: string }) => agent.name);
  expect(await agents()).not.toContain('guided');

  await page.locator('#key').fill(modelKey);
  await page.getByRole('button', { name: 'Check the key' }).click();
  await expect(page.getByText('The provider takes this key.')).toBeVisible({ timeout: 60_000 });
  await page.locator('#model').fill('test-1');
  await page.getByRole('button', { name: 'Create the Agent' }).click();
  await expect(page).toHaveURL(new RegExp(`/agents/guided$`));
  expect(await page.content()).not.toContain(modelKey);
  await serves(request, 'guided', 1);
});

test('answers from its own Codex', async ({ page, request }) => {
  const agent = await api(request, 'GET', `/namespaces/${space}/agents/guided`);
  expect(agent.executionMode).toBe('dedicated');
  await open(page, `/console/namespaces/${space}/agents/guided/chat`);
  await page.locator('#message').fill('Hello Codex');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByText(/Hello Codex.*message 1/)).toBeVisible({ timeout: 120_000 });
});
