import { describe, expect, it } from '@jest/globals';
import { VoxbatchError } from '../../client/problem.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Problem } from '../../client/problem-types.ts';
import { wrapMachineFaults } from '../../client/machine-faults.ts';
import { ServerUnavailable } from '../../embedded/server-unavailable.ts';
import { CommitUnknown, CopyInDoubt, LedgerAway, LedgerUnreachable, LoadTakenOver } from '../../ledger/errors.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { describeTrouble, exitErrorOf, repeatWords } from '../../starters/exit-of-problem.ts';

const HERE = { apiUrl: 'http://here/api/open/v1', account: 'u2' };
const BATCH = { name: 'b', apiUrl: 'http://there/api/open/v1', account: 'u1' };
const RECORD = {
  name: 'b',
  source: 'b.csv',
  subset: null,
  settings: { reading: { kind: null, defaults: {}, map: {}, tts: 'job' } },
} as unknown as BatchRecord;
const FULL = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
const BEHIND = new LedgerUnreachable('/l.db', 'its tables are old', 'Add them: voxbatch ledger migrate');
const SILENT = { type: 'no-cluster', address: 'temporal:7233', cause: new Error('refused') } as const;

/** What each problem is said to be, by the exit that a command then has. */
const WORDS: Partial<Record<ExitName, readonly (readonly [Problem, RegExp])[]>> = {
  api: [
    [{ type: 'no-api', why: 'No API is given' }, /No API is given.*Nothing was spent/],
    [{ type: 'odd-token', cause: new Error('Odd.') }, /^Odd\. Set VOXBATCH_API_TOKEN/],
    [{ type: 'odd-proxy', cause: new Error('No.') }, /^No\. Nothing was sent/],
    [
      { type: 'token-refused', apiUrl: 'http://x', failure: { class: 'BadToken', message: 'unknown' } },
      /refuses the token: unknown\. Set VOXBATCH_API_TOKEN/,
    ],
  ],
  usage: [
    [{ type: 'no-ledger', ledger: '/l.db' }, /no batch here yet \(\/l\.db\)\. Start one: voxbatch run/],
    [{ type: 'no-batch', batch: 'b', known: ['a', 'c'] }, /no batch "b" here\. Known: a, c\.$/],
    [{ type: 'no-batch', batch: undefined, known: [] }, /Start one: voxbatch run MANIFEST$/],
    [
      { type: 'store-of-another', store: '/s', ledger: '/l.db' },
      /in \/s belong.*\/l\.db.*restore it from a backup.*VOXBATCH_STORE.*pays again/,
    ],
    [
      { type: 'other-store', store: '/s', ledger: '/l.db' },
      /\/l\.db are kept in another store than \/s\..*Nothing was spent\..*set VOXBATCH_STORE.*mount its disk.*--new-store/,
    ],
    [
      { type: 'other-store', store: 's3://b/s', ledger: '/l.db' },
      /set VOXBATCH_STORE to the store that the others have, and run/,
    ],
    [
      { type: 'store-missing', store: '/s', ledger: '/l.db', batch: 'b' },
      /\/l\.db is not in \/s.*Nothing was spent\. Mount.*VOXBATCH_STORE/,
    ],
    [{ type: 'unwritable-out', out: '/o', cause: FULL }, /folder \/o cannot be written: no space left.*--out FOLDER/],
    [
      {
        type: 'forgotten-batch',
        batch: 'b',
        receipts: { out: '/o', requests: 2, credits: 9 },
        folders: [],
        isSingle: false,
      },
      /"b" is not in the ledger, but \/o has 2 paid requests of it, 9 credits.*--cache only.*Then voxbatch reconcile b names/,
    ],
    [
      {
        type: 'forgotten-batch',
        batch: 'b',
        receipts: null,
        folders: [{ folder: 'b-1', batch: 'b', results: 3 }],
        isSingle: false,
      },
      /the store has 3 results of it \(b-1\).*--cache only.*voxbatch reconcile b --adopt ROW=JOB.*another --name/,
    ],
    [
      {
        type: 'forgotten-batch',
        batch: 'say-1',
        receipts: null,
        folders: [{ folder: 'say-1-2', batch: 'say-1', results: 1 }],
        isSingle: true,
      },
      /A job of "say-1" is not in the ledger.*pay for it again.*--cache only.*voxbatch reconcile say-1 --adopt 1=JOB.*--again\.$/,
    ],
    [
      {
        type: 'forgotten-requests',
        batch: 'b',
        rows: ['r1', 'r2'],
        credits: 7,
        jobs: [{ row: 1, id: 'r1', jobId: 'j' }],
        jobless: [{ row: 1, step: 'speech', take: 2 }],
        folders: ['/o'],
        named: [],
      },
      /\/o has paid requests of 2 rows of batch "b" \(r1, r2\), 7 credits, that.*older.*compare-store.*reconcile b --adopt r1=j\. The receipts name no job of 1 request,.*move \/o away/,
    ],
    [
      { type: 'unread-receipts', batch: 'b', folders: ['/o'], unread: '/o/receipts.jsonl: x' },
      /receipts of batch "b" cannot all be read \(\/o\/receipts\.jsonl: x\).*older.*Nothing was sent.*move \/o away/,
    ],
    [{ type: 'taken-out', out: '/o', by: 'has a file x' }, /\/o has a file x, and.*--out NEW-FOLDER/],
    [
      { type: 'linked-out', path: '/o/a b' },
      /^\/o\/a b is a symbolic link.*Nothing was spent\. Remove it: rm '\/o\/a b'\./,
    ],
    [{ type: 'loading', batch: RECORD }, /"b" is still loading.*voxbatch run b\.csv$/],
    [
      { type: 'other-store', store: '/home/store', ledger: 'postgres://d/l', isUnset: true },
      /than \/home\/store\. VOXBATCH_STORE is not set here\. .*set VOXBATCH_STORE to the store that the others have, and run the same command again\.$/,
    ],
    [
      { type: 'other-store', store: 's3://b/p', ledger: 'postgres://d/l' },
      /another store than s3:\/\/b\/p\. Nothing was sent\..*--new-store$/,
    ],
    [
      { type: 'store-missing', store: '/home/store', ledger: '/l.db', batch: 'lines', isUnset: true },
      /VOXBATCH_STORE is not set here: if the store is elsewhere, set it\..*--new-store$/,
    ],
    [
      { type: 'no-webhook-port', host: '127.0.0.1', port: 8765, code: 'EADDRINUSE' },
      /^Another program uses port 8765 of 127\.0\.0\.1.*Nothing was sent\. Nothing was spent\..*--webhook-port 8766/,
    ],
    [{ type: 'other-realm', differs: 'api', batch: BATCH, here: HERE }, /against http:\/\/there.*VOXBATCH_API_URL/],
    [{ type: 'other-realm', differs: 'account', batch: BATCH, here: HERE }, /account u1, and this token is of u2/],
  ],
  unreachable: [
    [{ type: 'machine', cause: FULL }, /Cannot write to disk: no space left.*Nothing was spent/],
    [
      { type: 'machine', cause: Object.assign(new Error('too many open files'), { code: 'EMFILE' }) },
      /^Too many files are open: .*ulimit -n.*Nothing was spent/,
    ],
    [{ type: 'machine', cause: BEHIND }, /its tables are old\. Add them: voxbatch ledger migrate\. Nothing/],
    [{ type: 'not-started', batch: RECORD, cause: FULL }, /did not accept the batch.*voxbatch run b\.csv$/],
    [{ type: 'no-server', cause: new ServerUnavailable('It is gone.', 'Get it.') }, /It is gone. Get it. N/],
    [SILENT, /Temporal at temporal:7233 cannot be reached: refused\. Check that it runs, and TEMPORAL_ADDRESS/],
    [
      { type: 'no-namespace', address: 'temporal:7233', namespace: 'prod' },
      /temporal:7233 has no namespace "prod"\..*Nothing was spent\. Set TEMPORAL_NAMESPACE.*temporal operator namespace create --address temporal:7233 --namespace prod$/,
    ],
    [
      { type: 'ledger-in-use', ledger: '/l.db', holder: 'h' },
      /\/l\.db: h\..*pay for a row twice.*Stop.*run the same command again\.$/,
    ],
    [{ type: 'ledger-in-use', ledger: 'postgres://d/l', holder: 'h' }, /need the same TEMPORAL_ADDRESS/],
    [
      { type: 'small-files', mostBytes: 1_024_000, mayLift: true },
      /only up to 1024 KB, .*Nothing was spent\. Lift the limit: ulimit -f unlimited$/,
    ],
    [{ type: 'server-gone', address: 'a:1', cause: FULL }, /a:1 went away.*Run the same command again/],
    [
      {
        type: 'not-notified',
        cause: new VoxbatchError({ type: 'no-namespace', address: 'temporal:7233', namespace: 'prod' }),
      },
      /--namespace prod\. Run the same command again when Temporal is back\.$/,
    ],
    [{ type: 'not-notified', cause: new VoxbatchError(SILENT) }, /It is recorded.*TEMPORAL_ADDRESS.*when Temporal is/],
    [
      { type: 'backup-held', ledger: '/h/ledger.db', by: 'work', pids: [7, 4711] },
      /^A voxbatch process still works where the ledger \/h\/ledger\.db is to be put \(processes 7, 4711\)\. .*End it first/,
    ],
  ],
  refused: [[{ type: 'no-price', batch: 'b', row: 3, id: 'x' }, /No price is known for x \(row 3\).*voxbatch stop b$/]],
  'api-away': [
    [
      { type: 'api-away', apiUrl: 'http://x', failure: { class: 'NotSent', message: 'no.' } },
      /cannot be reached: no\. Check VOXBATCH_API_URL/,
    ],
    [
      { type: 'api-away', apiUrl: 'http://x', failure: { class: 'ServiceDown', message: 'no.' } },
      /does not return the account's profile: no\. Try again/,
    ],
  ],
};
const CASES = Object.entries(WORDS).flatMap(([exit, said]) =>
  said.map(([problem, words]) => ({ exit, problem, words })),
);

describe('what stands in the way, as a command says it', () => {
  it.each(CASES)('$problem.type ends with $exit', ({ problem, exit, words }) => {
    expect(exitErrorOf(new VoxbatchError(problem))).toMatchObject({ exit, message: expect.stringMatching(words) });
  });

  it('says of a load that was taken over what happened, that nothing was spent, and what to do', async () => {
    const error = await wrapMachineFaults(() => Promise.reject(new LoadTakenOver('b'))).catch(
      (thrown: unknown) => thrown,
    );
    expect(exitErrorOf(error)).toMatchObject({
      exit: 'unreachable',
      message: expect.stringMatching(
        /another start loads batch "b" now.*database restarted.*Run the same command again.*Nothing was spent by this/,
      ),
    });
  });

  it('has a message for logs without what the API said of it, which may repeat a text', () => {
    const failure = { class: 'ServiceDown', status: 502, message: 'cannot say "Hello"' } as const;
    const away = exitErrorOf(new VoxbatchError({ type: 'api-away', apiUrl: 'http://x', failure }));
    expect(away).toMatchObject({
      message: expect.stringContaining('profile: cannot say "Hello". Try again'),
      logged: expect.stringMatching(/profile: ServiceDown, 502\. Try again/),
    });
    const unread = exitErrorOf(new VoxbatchError({ type: 'no-schema', apiUrl: 'http://x', why: 'odd: Hello' }));
    expect(unread).toMatchObject({ logged: expect.not.stringContaining('Hello') });
    expect(exitErrorOf(new VoxbatchError(SILENT))).toMatchObject({ logged: undefined });
  });

  it('leaves every other error as it is', () => {
    const error = new Error('a fault of ours');
    expect(exitErrorOf(error)).toBe(error);
  });
});

describe('that all charges are recorded', () => {
  const away = new LedgerAway('pg', 'its server is stopping', 'Try again.');

  it.each([['redrive'], ['run']])('is said of a %s that lost its ledger for a while', (command) => {
    expect(repeatWords(away, command)).toMatch(/ pays nothing twice\.$/);
  });

  it.each<[string, Error]>([
    ['a copy in doubt', new CopyInDoubt({ batch: 'b', senders: 1, mayBeMore: false, unplaced: 0, named: [] })],
    ['a copy that nobody has accepted', new LedgerAway('pg', 'a copy', 'Connect.', undefined, true)],
    ['a missing right', new LedgerUnreachable('pg', 'the user may not do this', 'Grant it.')],
    ['a commit that may be lost', new CommitUnknown('pg', undefined)],
  ])('is not said of %s', (_, error) => {
    expect(describeTrouble(error)).toBeDefined();
    expect(repeatWords(error, 'run')).toBe('');
  });

  it.each(['compare', 'status'])('is not said by %s, which pays for no row', (command) => {
    expect(repeatWords(away, command)).toBe('');
  });
});
