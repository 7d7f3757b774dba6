/** @slow */
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { LiveWorld } from '../../support/live-world.ts';
import { waitFor } from '../../support/wait-for.ts';
import { expectAccessible, openBrowser, openTab, pageOf, takePicture } from './browser.ts';

/** How long a player says that its sound is. */
const lengthOf = (player: unknown): number => (player as { readonly duration: number }).duration;

it('the page shows a batch while it runs, its rows and their sound, by keyboard alone, and ends with its command', async () => {
  const world = await LiveWorld.open({
    ...{ seed: 3, createMs: [5, 20], jobMs: [300, 900], rows: 12, kinds: ['tts'] },
    plan: { rules: [{ on: 'create', match: { nth: 3 }, fault: { kind: 'status', status: 400 } }] },
  });
  const run = world.start(['run', 'lines.csv', '--rate', '6', '--halt', 'never']);
  await run.said('Batch "lines"');
  const command = world.start(['page', 'lines']);
  const address = await pageOf(command);
  const { tab, faults } = await openTab(await openBrowser());
  await tab.goto(address);
  expect(new URL(tab.url()).search).toBe('?name=lines');

  // It follows by itself.
  await tab.getByText('finished', { exact: true }).waitFor();
  expect((await run.ended).code).toBe(10);
  await tab.locator('.figures').getByText('11', { exact: true }).waitFor();
  await tab.getByRole('img', { name: /rows ended between/ }).waitFor();
  await expectAccessible(tab);
  await takePicture(tab, 'page');

  const rows = tab.locator('table.rows tbody a');
  // Failed rows only, by their reason, and by what it says.
  await tab.getByRole('link', { name: 'BadRequest' }).press('Enter');
  await waitFor(async () => (await rows.count()) === 1);
  await tab.getByRole('list', { name: 'Messages' }).getByRole('link').press('Enter');
  await tab.getByRole('link', { name: 'this message' }).waitFor();
  await waitFor(async () => (await rows.count()) === 1);
  await expectAccessible(tab);
  await tab.getByLabel('Outcome').selectOption('succeeded');
  await waitFor(async () => (await rows.count()) === 11);

  // The longest first.
  const lengths = async (): Promise<number[]> =>
    (await tab.locator('table.rows tbody td:nth-child(7)').allInnerTexts()).map(parseFloat);
  await tab.getByLabel('Order').selectOption('longest');
  await waitFor(async () => {
    const shown = await lengths();
    return shown.length === 11 && shown.every((seconds, at) => seconds >= (shown[at + 1] ?? 0));
  });

  // From row to row, into one and out again.
  await rows.first().focus();
  await tab.keyboard.press('ArrowDown');
  await tab.keyboard.press('Enter');
  const story = tab.getByRole('dialog');
  await story.getByText('Requests').waitFor();
  await waitFor(async () => (await tab.locator('audio').evaluate(lengthOf)) > 0.1);
  await expectAccessible(tab);
  await tab.keyboard.press('Escape');
  await story.waitFor({ state: 'detached' });

  // The address works once; the tab that is open works on.
  const { tab: other } = await openTab(await openBrowser());
  await other.goto(address);
  await other.getByText('This address was used before').waitFor();
  await tab.getByRole('link', { name: 'Batches' }).click();
  await tab.getByRole('link', { name: 'lines' }).click();
  await tab.getByRole('heading', { name: 'lines' }).waitFor();

  // Nobody is there to fire a schedule: what is on record is shown all the same.
  expect(
    await world.run(['schedule', 'create', 'weekly', 'lines.csv', '--every', '7d', '--budget', '50']),
  ).toMatchObject({ code: 0 });
  await tab.getByRole('link', { name: 'Schedules' }).press('Enter');
  await tab.getByText('every 7d').waitFor();
  await tab.getByText('no Temporal server runs here').waitFor();
  await expectAccessible(tab);
  expect(faults).toEqual([]);

  command.child.kill('SIGINT');
  expect((await command.ended).code).toBe(130);
});

it('the page steers a batch, and sends rows again that were marked by ear, at the price that it showed', async () => {
  const world = await LiveWorld.open({ seed: 5, createMs: [5, 20], jobMs: [300, 900], rows: 8, kinds: ['tts'] });
  const up = world.start(['up', '--page']);
  const address = pageOf(up);
  await up.said('Working for account');
  await world.run(['run', 'lines.csv', '--rate', '0.1', '--halt', 'never', '--detach']);
  await world.untilCharged(1);
  const { tab, faults } = await openTab(await openBrowser());
  await tab.goto(await address);
  await tab.getByRole('link', { name: 'lines' }).click();

  await tab.getByRole('button', { name: 'Pause' }).press('Enter');
  await tab.getByText('no more paid requests').first().waitFor();
  await tab.getByRole('button', { name: 'Tune …' }).press('Enter');
  await tab.getByLabel('Paid requests a second').fill('50');
  await tab.keyboard.press('Enter');
  await tab.getByText('This applies when it continues').waitFor();
  await expectAccessible(tab);
  await tab.getByRole('button', { name: 'Resume' }).press('Enter');
  await tab.locator('.pill', { hasText: 'finished' }).waitFor();

  // What is to be done goes once it is done, also by another command.
  const unwritten = tab.getByText('Write its files with').first();
  await waitFor(() => existsSync(world.path('out', 'lines', 'summary.json')));
  await rm(world.path('out', 'lines', 'summary.json'));
  await unwritten.waitFor();
  expect(await world.run(['results', 'lines'])).toMatchObject({ code: 0 });
  await unwritten.waitFor({ state: 'detached' });

  // By ear: the first row and the third one.
  await tab.getByRole('button', { name: 'Listen' }).press('Enter');
  const listen = tab.getByRole('region', { name: 'Listen' });
  await listen.getByText('r1', { exact: true }).waitFor();
  // Right after its end a mark is still of it; then the next one comes by itself.
  await tab.locator('.listen video').evaluate(async (player) => {
    const page = globalThis as unknown as {
      Event: typeof Event;
      KeyboardEvent: new (type: string, more: object) => Event;
    };
    const dispatch = (event: Event): boolean => (player as unknown as EventTarget).dispatchEvent(event);
    dispatch(new page.Event('ended'));
    await new Promise((resolve) => setTimeout(resolve, 200));
    dispatch(new page.KeyboardEvent('keydown', { key: 'm', bubbles: true }));
  });
  await listen.getByText('r2', { exact: true }).waitFor();
  await tab.keyboard.press('ArrowRight');
  await listen.getByText('r3', { exact: true }).waitFor();
  await tab.keyboard.press('m');
  await expectAccessible(tab);
  await tab.keyboard.press('Escape');
  await tab.getByRole('button', { name: 'Send 2 again …' }).press('Enter');
  await tab.getByText(/2 have a result, which is replaced/).waitFor();
  await expectAccessible(tab);
  const before = world.charges().size;
  await tab.getByRole('button', { name: /Send again for .* credits/ }).press('Enter');
  await tab.getByRole('dialog').getByRole('button', { name: 'Close' }).press('Enter');
  await tab.locator('td.word', { hasText: 'succeeded take 2' }).nth(1).waitFor();
  expect(world.charges().size).toBe(before + 2);
  // What was sent is marked no more.
  expect(await tab.getByRole('button', { name: /Send .* again …/ }).count()).toBe(0);

  // The earlier take was better.
  await tab.locator('table.rows').getByRole('link', { name: 'r1', exact: true }).press('Enter');
  await tab.getByText('Take 2, in use: media').waitFor();
  await tab.getByRole('button', { name: 'Send again …' }).press('Enter');
  const again = tab.getByRole('dialog', { name: 'Send 1 row again' });
  await again.getByText(/1 has a result, which is replaced/).waitFor();
  await again.getByRole('button', { name: 'Not now' }).press('Enter');
  await tab.getByRole('button', { name: 'Keep the result of take 1 …' }).press('Enter');
  await tab.getByText('1 back to the result of an earlier take, free').waitFor();
  await expectAccessible(tab);
  await tab.getByRole('button', { name: 'Take it, free' }).press('Enter');
  await tab.getByText('1 row redriven').waitFor();
  await tab.getByRole('dialog', { name: /Keep/ }).getByRole('button', { name: 'Close' }).press('Enter');
  await tab.getByRole('button', { name: 'Keep the result of take 2 …' }).waitFor();
  await tab.getByText('Take 1, in use: media').waitFor();
  expect(await tab.locator('.takes audio').count()).toBe(1);
  expect(await tab.locator('.takes audio').getAttribute('aria-label')).toBe('Take 2');
  expect(world.charges().size).toBe(before + 2);
  expect(faults).toEqual([]);

  await up.endInOrder();
});

it('the script of the page is small', () => {
  const script = readFileSync(fileURLToPath(new URL('../../../dist/page/browser.js', import.meta.url)));
  expect(gzipSync(script).length).toBeLessThan(30_000);
});
