// The end of the way: Agents stop when a person says so.
import { api, expect, open, space, test } from './support';

test('stops', async ({ page, request }) => {
  await open(page, `/console/namespaces/${space}/agents/reader`);
  await page.locator('summary[aria-label="More"]').click();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await expect.poll(async () => (await api(request, 'GET', `/namespaces/${space}/agents/reader`)).health.state, { timeout: 120_000 }).toBe('stopped');
});

test('the log is followed while it is written, until nothing writes any more', async ({ page, request }) => {
  await open(page, `/console/namespaces/${space}/agents/guided/logs`);
  await page.getByRole('button', { name: 'Follow', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Stop following' })).toBeVisible();
  const endings = page.getByRole('log').getByText(/ending revision/);
  const before = await endings.count();
  await api(request, 'POST', `/namespaces/${space}/agents/guided/stop`);
  await expect(endings).toHaveCount(before + 1);
  await expect.poll(async () => (await api(request, 'GET', `/namespaces/${space}/agents/guided`)).health.state, { timeout: 120_000 }).toBe('stopped');
  // What keeps the Agent leaves a while after what it kept.
  await expect(page.getByText('Nothing follows any more.')).toBeVisible({ timeout: 90_000 });
  await expect(endings).toHaveCount(before + 1);
  await expect(page.getByRole('button', { name: 'Follow', exact: true })).toBeVisible();
});
