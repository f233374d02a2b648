// Signing in and reading, with and without WASM.
import { expect, signIn, signInLink, test } from './support';

test('anonymous people are sent to sign in', async ({ browser }) => {
  const context = await browser.newContext({ baseURL: process.env.OCC_URL });
  const page = await context.newPage();
  await page.goto('/console/namespaces');
  await expect(page).toHaveURL(/\/console\/sign-in/);
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await context.close();
});

test('a link is used by its button, once; opening it uses nothing up', async ({ browser }) => {
  const link = signInLink();
  const first = await browser.newContext({ baseURL: process.env.OCC_URL });
  const page = await first.newPage();
  await page.goto(link);
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(/\/console$/);
  const cookie = (await first.cookies()).find((c) => c.name === '__Host-occ_session');
  expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax', path: '/' });
  await first.close();

  const second = await browser.newContext({ baseURL: process.env.OCC_URL });
  const again = await second.newPage();
  await again.goto(link);
  await again.getByRole('button', { name: 'Sign in' }).click();
  await expect(again).toHaveURL(/\/console\/sign-in/);
  expect((await second.cookies()).some((c) => c.name === '__Host-occ_session' && c.value)).toBe(false);
  await second.close();
});

test('signing in and reading work without WASM', async ({ browser }) => {
  const context = await browser.newContext({ baseURL: process.env.OCC_URL, javaScriptEnabled: false });
  const page = await context.newPage();
  await signIn(page);
  await page.goto('/console/namespaces');
  await expect(page.getByRole('heading', { name: 'Namespaces', level: 1 })).toBeVisible();
  await context.close();
});

test('a session that ended sends its person to sign in', async ({ browser }) => {
  const context = await browser.newContext({ baseURL: process.env.OCC_URL });
  const page = await context.newPage();
  await signIn(page);
  await context.clearCookies();
  await page.goto('/console/namespaces');
  await expect(page).toHaveURL(/\/console\/sign-in/);
  await context.close();
});

test('another origin cannot write with the cookie', async ({ person }) => {
  const answer = await person.request.post('/api/v1/namespaces', {
    data: { name: 'forged' }, headers: { origin: 'http://evil.test', 'content-type': 'application/json' },
  });
  expect(answer.status()).toBe(403);
  expect((await answer.json()).code).toBe('ORIGIN_MISMATCH');
});
