/** @slow */
import { expect, it } from '@jest/globals';
import { LiveWorld } from '../../support/live-world.ts';
import { waitFor } from '../../support/wait-for.ts';
import { expectAccessible, openBrowser, openTab, pageOf } from './browser.ts';

it('the page settles rows whose answer was lost, by keyboard, and says before what it means for the bill', async () => {
  const lost = (text: string) => ({ on: 'create', match: { text, nth: 1 }, fault: 'accept-then-500' }) as const;
  const world = await LiveWorld.open({
    ...{ seed: 4, createMs: [5, 20], jobMs: [50, 200], server: true },
    plan: { rules: [lost('Lost and found.'), lost('Lost and gone.')] },
  });
  await world.write(
    'lines.csv',
    'id,text,voice\nfine,Nothing was lost.,name:ada\nfound,Lost and found.,name:ada\ngone,Lost and gone.,narrator\n',
  );
  const run = await world.run(['run', 'lines.csv', '--halt', 'never']);
  expect(run.code).toBe(13);
  const up = world.start(['up', '--page']);
  const address = pageOf(up);
  await up.said('Working for account');
  const { tab, faults } = await openTab(await openBrowser());
  await tab.goto(await address);
  await expectAccessible(tab);
  await tab.getByRole('link', { name: 'Unknown rows' }).press('Enter');
  const found = tab.getByRole('form', { name: 'Settle found' });
  await found.waitFor();
  await expectAccessible(tab);

  // The job of another row is refused, in the words of the command.
  const { jobId: own } = world.simulator.ledger().find(({ text }) => text === 'Lost and found.') ?? {};
  const { jobId: others } = world.simulator.ledger().find(({ text }) => text === 'Nothing was lost.') ?? {};
  const dialog = tab.getByRole('dialog');
  const decide = async (job: string): Promise<void> => {
    await found.getByLabel('Id of its job').fill(job);
    await found.getByRole('button', { name: 'It was charged' }).press('Enter');
    await dialog.getByText('count as charged').waitFor();
  };
  await decide(others ?? '');
  await expectAccessible(tab);
  await dialog.getByRole('button', { name: 'It is this one' }).press('Enter');
  await dialog.getByText('has that job').waitFor();
  await tab.keyboard.press('Escape');
  // Its close event comes later, and takes the choice back.
  await dialog.waitFor({ state: 'detached' });
  await found.getByLabel('Id of its job').fill(own ?? '');
  await tab.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'It is this one' }).press('Enter');
  await dialog.getByText('its result is fetched without paying again').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).press('Enter');
  await found.waitFor({ state: 'detached' });

  // The other one is sent again, for a price that is seen before.
  await tab.getByRole('form', { name: 'Settle gone' }).getByRole('button', { name: 'Send it again' }).press('Enter');
  await dialog.getByText('1 may be charged a second time').waitFor();
  expect(world.charges().size).toBe(3);
  await dialog.getByRole('button', { name: /Send again for .* credits/ }).press('Enter');
  await dialog.getByText('1 row redriven').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).press('Enter');
  await tab.getByText('There are none.').waitFor();
  await world.untilCharged(4);
  expect(faults).toEqual(['Failed to load resource: the server responded with a status of 409 (Conflict)']);
  await tab.getByRole('link', { name: 'Batches' }).press('Enter');
  await tab.getByText('3 of 3').waitFor();

  // A voice is chosen by its name.
  await tab.getByRole('link', { name: 'lines' }).press('Enter');
  const rows = tab.locator('table.rows tbody tr');
  await rows.nth(2).waitFor();
  await tab
    .getByLabel('Voice')
    .locator('option', { hasText: /^ada – .*\(2\)$/ })
    .waitFor({ state: 'attached' });
  await tab.getByLabel('Voice').focus();
  await tab.keyboard.press('a');
  await tab.keyboard.press('d');
  await waitFor(async () => (await rows.count()) === 2);
  await rows.first().getByText('ada', { exact: true }).waitFor();
  await expectAccessible(tab);

  // When a schedule fires next is asked of the server that runs here.
  const schedule = (...words: readonly string[]) => world.run(['schedule', ...words]);
  expect(await schedule('create', 'weekly', 'lines.csv', '--every', '7d', '--budget', '50')).toMatchObject({ code: 0 });
  await tab.getByRole('link', { name: 'Schedules' }).press('Enter');
  await tab.getByText(/It fires next \d+ \w+, \d\d:/).waitFor();
  await expectAccessible(tab);
  await schedule('pause', 'weekly', '--note', 'new voices');
  await tab.getByRole('link', { name: 'Batches' }).press('Enter');
  await tab.getByRole('link', { name: 'Schedules' }).press('Enter');
  await tab.getByText('It does not fire while it is paused.').waitFor();
  await tab.getByText('new voices').waitFor();
  await up.endInOrder();
});
