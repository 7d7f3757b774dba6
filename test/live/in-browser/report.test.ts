/** @slow */
import { rename, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { expect, it } from '@jest/globals';
import { LiveWorld } from '../../support/live-world.ts';
import { waitFor } from '../../support/wait-for.ts';
import { expectAccessible, openBrowser, openTab, takePicture } from './browser.ts';

/** A name that means something in an address, and a text that means something in HTML. */
const NAME = 'Line 100% #1? "of" &amp;';
const EVIL = '</template></script><script>alert(1)</script><img src=x onerror=alert(1)>';

it('the report opens from the disk: figures, rows, search, players and examples, by keyboard, and prints what matters', async () => {
  const world = await LiveWorld.open({
    ...{ seed: 3, createMs: [5, 20], jobMs: [50, 200], server: true },
    // By its text: which row is sent third differs from run to run, and line-1 has to have a file below.
    plan: { rules: [{ on: 'create', match: { text: 'Sentence 58' }, fault: { kind: 'status', status: 400 } }] },
  });
  const csv = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
  const lines = Array.from({ length: 58 }, (_, at) => [
    `line-${String(at + 1)}`,
    `Sentence ${String(at + 1)}`,
    `n${String(at + 1)}`,
  ]);
  lines.push([`"'${EVIL}`, EVIL, NAME]);
  const cells = [['id', 'text', 'take'], ...lines].map((line) => `${line.map(csv).join(',')},ada`);
  await world.write('lines.csv', cells.join('\n').replace(/ada/, 'voice'));
  const run = await world.run(['run', 'lines.csv', '--halt', 'never', '--file-name', '{take}.{ext}']);
  expect(run).toMatchObject({ code: 10 });

  const path = world.path('out', 'lines', 'report.html');
  const { tab, faults } = await openTab(await openBrowser());
  await tab.goto(pathToFileURL(path).href);
  await tab.getByRole('heading', { name: 'lines' }).waitFor();
  await tab.locator('.figures').getByText('58', { exact: true }).waitFor();
  await tab.getByRole('img', { name: /rows ended between/ }).waitFor();
  await tab.getByRole('img', { name: /Job times, speech/ }).waitFor();
  const rows = tab.locator('table.rows tbody a');
  await waitFor(async () => (await rows.count()) === 50);
  await expectAccessible(tab);
  await takePicture(tab, 'report');

  // From the reason of a failure to its rows.
  await tab.getByRole('link', { name: 'BadRequest' }).press('Enter');
  await waitFor(async () => (await rows.count()) === 1);
  await tab.getByLabel('Outcome').selectOption('');
  await tab.getByRole('button', { name: 'Next' }).press('Enter');
  await waitFor(async () => (await rows.count()) === 9);

  // The longest first: the failed row, which has no length, is left out, so the next page has 8.
  await tab.getByLabel('Order').selectOption('longest');
  const lengths = async (): Promise<number[]> =>
    (await tab.locator('table.rows tbody td:nth-child(6)').allInnerTexts()).map(parseFloat);
  await waitFor(async () => {
    const shown = await lengths();
    return shown.length === 50 && shown.every((seconds, at) => at === 0 || seconds <= (shown[at - 1] ?? 0));
  });
  await tab.getByRole('button', { name: 'Next' }).press('Enter');
  await waitFor(async () => (await rows.count()) === 8);
  await tab.getByLabel('Order').selectOption('');

  // A search, and the sound of a row whose name and text would do harm elsewhere.
  await tab.getByLabel('Any cell contains').fill('ONERROR');
  await waitFor(async () => (await rows.count()) === 1);
  await rows.first().press('Enter');
  const drawer = tab.getByRole('dialog');
  await drawer.getByText(EVIL).first().waitFor();
  const length = (): Promise<number> =>
    tab.locator('audio').evaluate((player) => (player as unknown as { duration: number }).duration);
  await waitFor(async () => (await length()) > 0.1);
  await expectAccessible(tab);
  // The address of a row can be kept: it shows it again.
  await tab.reload();
  await waitFor(async () => (await length()) > 0.1);
  await tab.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  expect(faults).toEqual([]);

  // On paper: the summary and the failures.
  await tab.emulateMedia({ media: 'print' });
  expect(await tab.getByRole('heading', { name: 'Why rows have no result' }).isVisible()).toBe(true);
  expect(await tab.locator('.figures').isVisible()).toBe(true);
  for (const hidden of ['table.rows', '.chart', '.distributions'])
    expect(await tab.locator(hidden).isVisible()).toBe(false);

  // Without its folder it still tells everything but the sound.
  await tab.emulateMedia({ media: 'screen' });
  const alone = world.path('alone.html');
  await rename(path, alone);
  await tab.goto(`${pathToFileURL(alone).href}#row=line-1`);
  await tab.getByText('Its file is not beside this report').waitFor();
  // Nothing but a report is shown in its place.
  await writeFile(path, '');
});
