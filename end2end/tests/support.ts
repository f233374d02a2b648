// What the tests share: signing in by a one-time link, the API as a second witness, pages that must stay free of errors.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type APIRequestContext, type Browser, type BrowserContext, type Page, expect, test as base } from '@playwright/test';

export const occ = (...args: string[]): string =>
  execFileSync(process.env.OCC ?? 'occ', args, { encoding: 'utf8', timeout: 60_000, stdio: ['ignore', 'pipe', 'inherit'] });
export const signInLink = (): string => occ('signin-link').trim();
const key = (): string => readFileSync(join(process.env.OCC_DATA_DIR ?? '', 'service-key'), 'utf8').trim();
/** The Namespace in which the journey is made; the files that follow use what it leaves. */
export const space = 'journey';
export const modelPort = process.env.OCC_TESTMODEL_PORT ?? '18080';
export const modelKey = 'demo-key-of-the-bundled-test-model';

/** The API as the service key of the installation sees it. */
export async function api(request: APIRequestContext, method: string, path: string, data?: unknown): Promise<any> {
  const answer = await request.fetch(`/api/v1${path}`, { method, data, headers: { authorization: `Bearer ${key()}` } });
  const body = await answer.text();
  expect(answer.ok(), `${method} ${path}: ${answer.status()} ${body}`).toBeTruthy();
  return body ? JSON.parse(body) : undefined;
}

/** Waits until the Agent serves this revision: it is the active one, and its doors are open. */
export async function serves(request: APIRequestContext, agent: string, revision: number): Promise<void> {
  await expect.poll(async () => {
    const { activeRevision, routeState, deployment } = await api(request, 'GET', `/namespaces/${space}/agents/${agent}`);
    return `revision ${activeRevision?.number}, ${routeState}${deployment?.failure ? `, ${deployment.failure.code}` : ''}`;
  }, { timeout: 240_000 }).toBe(`revision ${revision}, open`);
}

/** Signs in with the button of a fresh link. */
export async function signIn(page: Page): Promise<void> {
  await page.goto(signInLink());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(/\/console$/);
}

/** Waits until the page is alive. */
export async function alive(page: Page): Promise<void> {
  await expect(page.locator('html[data-hydrated]')).toBeAttached();
}

/** Opens a page of the console and waits until it is alive. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await alive(page);
}

/** The document's editor, once it stands where the plain text was. */
export function editor(page: Page) {
  return page.getByRole('textbox', { name: 'Document' }).and(page.locator('[contenteditable]'));
}

/** Takes those errors from the list that the test caused itself; there must be one. */
export function expectErrors(errors: string[], pattern: RegExp): void {
  const others = errors.filter((error) => !pattern.test(error));
  expect(others.length, `no error like ${pattern}`).toBeLessThan(errors.length);
  errors.splice(0, errors.length, ...others);
}

type Worker = { person: BrowserContext };

/** A page of one signed-in person; any error in its console fails the test. */
export const test = base.extend<{ page: Page; errors: string[] }, Worker>({
  person: [async ({ browser }: { browser: Browser }, use) => {
    const person = await browser.newContext({ baseURL: process.env.OCC_URL, viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
    const page = await person.newPage();
    await signIn(page);
    await page.close();
    await use(person);
    await person.close();
  }, { scope: 'worker' }],
  errors: async ({}, use) => { await use([]); },
  page: async ({ person, errors }, use) => {
    const page = await person.newPage();
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => { if (message.type() === 'error') errors.push(message.text()); });
    await use(page);
    await page.close();
    expect(errors, 'errors in the page').toEqual([]);
  },
});
export { expect };
