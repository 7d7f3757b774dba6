import { beforeEach, expect, it, jest } from '@jest/globals';
import type { Reader } from '../../client/status/open-reader.ts';
import { StatusFeeds } from '../../page/status-feeds.ts';
import { nextWords } from '../../starters/rows/explain.ts';
import { noteLines, stateWord } from '../../starters/terminal/status-words.ts';
import { lazyFileReader } from '../../store/open-store.ts';
import { reject } from '../ledger/actions.ts';
import { aRow, ledger, ledgerForEachTest, load } from '../ledger/setup.ts';
import { freshFolder } from '../support/fresh-folder.ts';
import { waitFor } from '../support/wait-for.ts';

/** An ended batch: each listener gets one event, and nothing after it. */
ledgerForEachTest(async () => {
  await load([aRow(1)]);
  await reject(1);
  await ledger.closeBatch('b');
});

let feeds: StatusFeeds;

beforeEach(() => {
  const home = freshFolder();
  const settings = { home, store: home, ledger: ledger.place, isLedgerNamed: true, config: {}, env: {} };
  const slow = (): Promise<typeof ledger> => Promise.resolve(ledger);
  const files = lazyFileReader(home);
  const reader: Reader = {
    settings: { ...settings, cluster: undefined },
    ledger,
    files,
    slow,
    close: () => Promise.resolve(),
  };
  feeds = new StatusFeeds(reader, { standing: stateWord, status: (status) => noteLines(status, 0), row: nextWords });
  // Only the pauses between two polls: they pass when the test says so.
  jest.useFakeTimers();
});

/** Waits until so many feeds pause. */
const paused = (feedsPausing: number): Promise<void> => waitFor(() => jest.getTimerCount() === feedsPausing);

it('send a later tab what the others have, also if the only tab was closed and another opened at once', async () => {
  const [closed, opened, joined] = [jest.fn(), jest.fn(), jest.fn()];
  const close = feeds.subscribe('b', closed);
  await paused(1);
  close();
  feeds.subscribe('b', opened);
  await paused(2);
  jest.advanceTimersByTime(1_000);
  // The first feed has ended, and the second has polled again.
  await paused(1);
  feeds.subscribe('b', joined);
  expect(joined.mock.calls).toEqual(opened.mock.calls.slice(-1));
  expect(joined).toHaveBeenCalledTimes(1);
});

it('send a tab nothing of a feed that has ended', async () => {
  const [closed, opened, joined] = [jest.fn(), jest.fn(), jest.fn()];
  const close = feeds.subscribe('b', closed);
  await paused(1);
  close();
  feeds.subscribe('b', opened);
  feeds.subscribe('b', joined);
  expect(joined).not.toHaveBeenCalled();
  await paused(2);
  expect(joined.mock.calls).toEqual(opened.mock.calls);
});
