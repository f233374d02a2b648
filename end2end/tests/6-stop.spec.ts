// The end of the way: Agents stop when a person says so.
import { api, expect, open, space, test } from './support';

test('stops', async ({ page, request }) => {
  await open(page, `/console/namespaces/${space}/agents/reader`);
  await page.locator('summary[aria-label="More"]').click();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await expect.poll(async () => (await api(request, 'GET', `/namespaces/${space}/agents/reader`)).health.state, { timeout: 120_000 }).toBe('stopped');
  await api(request, 'POST', `/namespaces/${space}/agents/guided/stop`);
  await expect.poll(async () => (await api(request, 'GET', `/namespaces/${space}/agents/guided`)).health.state, { timeout: 120_000 }).toBe('stopped');
});
