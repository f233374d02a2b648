// What was typed and is not saved is not lost without a question; where nothing was changed, or it was saved, nothing is asked.
import type { Dialog, Page } from '@playwright/test';
import { alive, editor, expect, open, space, test } from './support';

const home = `/console/namespaces/${space}`;

/** Answers every question, and keeps what was asked. */
function answering(page: Page): { asked: string[]; stay: boolean } {
  const how = { asked: [] as string[], stay: true };
  page.on('dialog', (dialog: Dialog) => {
    how.asked.push(dialog.type());
    void (how.stay ? dialog.dismiss() : dialog.accept());
  });
  return how;
}

test('leaving a document that is not saved is asked about, however it is left', async ({ page }) => {
  const how = answering(page);
  const path = `${home}/configurations/reader`;
  await open(page, `${home}/configurations`);
  await page.getByRole('main').locator('a[href$="/configurations/reader"]').click();
  await expect(editor(page)).toBeVisible();
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Agents', exact: true });
  // Nothing was changed: nothing is asked.
  await link.click();
  await expect(page).toHaveURL(/\/agents$/);
  await page.goBack();
  await expect(editor(page)).toBeVisible();
  expect(how.asked).toEqual([]);

  await editor(page).click();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.insertText('\n\n');
  await expect(page.getByText('unsaved changes')).toBeVisible();
  await link.click();
  await expect.poll(() => how.asked).toEqual(['confirm']);
  await page.keyboard.press('Escape');
  await page.locator('body').click({ position: { x: 5, y: 400 } });
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await expect.poll(() => how.asked).toEqual(['confirm', 'confirm']);
  await page.goBack({ waitUntil: 'commit' }).catch(() => {});
  await expect.poll(() => how.asked.length).toBe(3);
  await expect(page).toHaveURL(new RegExp(`${path}$`));
  // A page that stays does not reload.
  await page.evaluate(() => { (window as any).stays = true; location.reload(); }).catch(() => {});
  await expect.poll(() => how.asked).toEqual(['confirm', 'confirm', 'confirm', 'beforeunload']);
  expect(await page.evaluate(() => (window as any).stays)).toBe(true);
  await expect(page.getByText('unsaved changes')).toBeVisible();

  how.stay = false;
  await link.click();
  await expect(page).toHaveURL(/\/agents$/);
  expect(how.asked.length).toBe(5);
});

test('the long forms ask, and what was saved is not asked about', async ({ page }) => {
  const how = answering(page);
  for (const [path, field] of [
    ['/console/namespaces/new', '#description'],
    [home, '#description'],
    [`${home}/agents/new`, '#name'],
    [`${home}/agents/reader/configuration`, '#description'],
    [`${home}/secrets/new`, '#name'],
    [`${home}/secrets/model-key`, '#value'],
    [`${home}/configurations/new`, '#name'],
  ] as const) {
    how.asked.length = 0;
    await open(page, path);
    const before = await page.locator(field).inputValue();
    await page.locator(field).fill(`${before}x`);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click();
    await expect.poll(() => how.asked, path).toEqual(['confirm']);
    await expect(page.locator(field)).toHaveValue(`${before}x`);
    // As it was: nothing would be lost.
    await page.locator(field).fill(before);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click();
    await expect(page).toHaveURL(/\/console$/);
    expect(how.asked, path).toEqual(['confirm']);
  }
  how.asked.length = 0;
  await open(page, `${home}/secrets/model-key`);
  await page.locator('#description').fill('Saved.');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Saved.', { exact: true }).first()).toBeVisible();
  await expect.poll(async () => { await page.reload(); await alive(page); return page.locator('#description').inputValue(); }).toBe('Saved.');
  expect(how.asked).toEqual([]);
});
