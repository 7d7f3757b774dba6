import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { defined } from '../../../contract/defined.ts';
import type { EarlyServer } from '../../../client/temporal/early-server.ts';
import { NOBODY } from '../../../client/person.ts';
import type { Session } from '../../../client/session.ts';
import { endedBySignals } from '../../../starters/run/early-server.ts';
import { watch } from '../../../starters/status/watch.ts';
import { firstNotice, listenForInterrupt } from '../../../starters/run/interrupt.ts';
import { readSettings } from '../../../starters/connect/settings.ts';
import { workOnBatch, type WorkEnd } from '../../../starters/run/work-on-batch.ts';
import { aBatch } from '../../ledger/setup.ts';
import { requirePublished } from '../../support/published-views.ts';
import { capture, placeForEach } from '../command-line.ts';

/** A server that is still starting when the signal comes. */
function serverUntil(signal: NodeJS.Signals): EarlyServer {
  return {
    underWay: Promise.resolve(),
    take: () => {
      process.emit(signal, signal);
      return Promise.reject(new Error('called off'));
    },
    end: () => Promise.resolve(),
  };
}

const place = placeForEach();

/** Works on a batch until a signal comes; `finish` has the words so far. */
async function interrupted(
  signal: NodeJS.Signals,
  finish: (end: WorkEnd) => void,
  { single, json = false }: { readonly single?: string; readonly json?: boolean } = {},
): Promise<{ readonly out: string; readonly err: string }> {
  const { ledger } = place;
  const batch = aBatch('lines');
  await ledger.createBatch({ ...batch, settings: { ...batch.settings, ...defined({ single }) }, source: 'lines.csv' });
  const record = await ledger.findBatch('lines');
  if (record === undefined) throw new Error('The batch was just created.');
  const lines = { out: '', err: '' };
  const session = {
    settings: { ...(await readSettings()), cluster: undefined },
    ledger: () => Promise.resolve(ledger),
    // Nothing is sent or stored before there is a server.
    store: () => Promise.resolve({}),
    api: () => Promise.resolve({}),
  } as unknown as Session;
  const person = { ...NOBODY, yes: true };
  const here = { session, person, output: capture(lines), json, detach: false };
  const request = { record, isNew: true, out: 'out/lines', server: serverUntil(signal) };
  await workOnBatch(request, here, (end) => {
    finish(end);
    return Promise.resolve('complete');
  });
  return lines;
}

describe('Ctrl-C', () => {
  it('once more while the files are written ends at once, and says how to continue', async () => {
    const exit = jest.spyOn(process, 'exit').mockImplementation(() => {
      throw new Error('ended');
    });
    const before = process.listenerCount('SIGINT');
    const { err: said } = await interrupted('SIGINT', (end) => {
      expect(end).toBe('interrupted');
      expect(() => process.emit('SIGINT', 'SIGINT')).toThrow('ended');
    });
    expect(said.trim().split('\n')).toEqual([
      'Finishing the requests in flight … Ctrl-C again ends at once.',
      'Ended at once. Continue with: voxbatch run lines.csv',
    ]);
    expect(exit).toHaveBeenCalledWith(130);
    expect(process.listenerCount('SIGINT')).toBe(before);
  });

  it.each([
    ['a batch', undefined, 'voxbatch run lines.csv', 'Ended at once. Continue with: voxbatch run lines.csv'],
    [
      'a single job, whose command alone hands out its result',
      'say',
      null,
      'Ended at once. The same command again continues the job; what is paid for is not paid for again.',
    ],
  ] as const)('once more under --json prints a line of JSON: %s', async (_, single, next, message) => {
    jest.spyOn(process, 'exit').mockImplementation(() => {
      throw new Error('ended');
    });
    const twice = (): void => {
      expect(() => process.emit('SIGINT', 'SIGINT')).toThrow('ended');
    };
    const { out, err } = await interrupted('SIGINT', twice, { json: true, ...defined({ single }) });
    requirePublished(['run', 'lines.csv', '--json'], out);
    expect(JSON.parse(out)).toEqual({ exit: 'interrupted', exit_code: 130, retry: 'now', message, next });
    expect(err).toContain(message);
  });

  it('is not spoken of where SIGTERM came', async () => {
    const { err: said } = await interrupted('SIGTERM', (end) => {
      expect(end).toBe('terminated');
    });
    expect(said.trim()).toBe('Finishing the requests in flight …');
  });
});

describe('Ctrl-C before there is a batch', () => {
  it('says that nothing was sent, and ends the server and the process', async () => {
    const exit = jest.spyOn(process, 'exit').mockImplementation(() => undefined as never);
    const end = jest.fn(() => Promise.resolve());
    const said: string[] = [];
    const server = endedBySignals({ ...serverUntil('SIGINT'), end }, (line) => said.push(line));
    process.emit('SIGINT', 'SIGINT');
    expect(said).toEqual(['Interrupted before this command sent anything. To start or resume, run it again.']);
    await server.end();
    expect(end).toHaveBeenCalled();
    expect(exit).toHaveBeenCalledWith(130);
  });

  it('does the same when its terminal is closed', async () => {
    const exit = jest.spyOn(process, 'exit').mockImplementation(() => undefined as never);
    const server = endedBySignals(serverUntil('SIGHUP'), () => undefined);
    process.emit('SIGHUP', 'SIGHUP');
    await server.end();
    expect(exit).toHaveBeenCalledWith(143);
  });
});

it('Ctrl-C twice while watching ends at once, and says that the batch is not affected', async () => {
  const { ledger } = place;
  await ledger.createBatch({ ...aBatch('lines'), source: 'lines.csv' });
  jest.spyOn(process, 'exit').mockImplementation(() => {
    throw new Error('ended');
  });
  const lines = { out: '', err: '' };
  const before = process.listenerCount('SIGINT');
  const watching = watch('lines', {}, { output: capture(lines) });
  while (process.listenerCount('SIGINT') === before) await nextTurn();
  process.emit('SIGINT', 'SIGINT');
  expect(() => process.emit('SIGINT', 'SIGINT')).toThrow('ended');
  expect(lines.err).toContain('Stopped watching; the batch is not affected. Watch again: voxbatch watch lines');
  expect(await watching).toBe('interrupted');
});

describe('a listener for signals', () => {
  it('tells the first signal by its exit, and gives the signals back', () => {
    const first = jest.fn();
    const before = process.listenerCount('SIGTERM');
    const interrupt = listenForInterrupt(first, () => undefined);
    process.emit('SIGTERM', 'SIGTERM');
    interrupt.dispose();
    expect(first).toHaveBeenCalledWith('terminated');
    expect(firstNotice('interrupted')).toContain('Ctrl-C again');
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });

  it('says how long a command that is told to end may wait: for a person at a terminal as long as a request takes', () => {
    for (const [name, waits] of [
      ['SIGTERM', 5_000],
      ['SIGINT', undefined],
    ] as const) {
      const interrupt = listenForInterrupt(jest.fn(), jest.fn(), 5_000);
      process.emit(name, name);
      interrupt.dispose();
      expect(interrupt.patienceMs()).toBe(waits);
    }
  });

  it('takes SIGHUP for SIGTERM, but never for the second signal: kernel, shell and session each send one', () => {
    const exit = jest.spyOn(process, 'exit').mockImplementation(() => undefined as never);
    const [first, second] = [jest.fn(), jest.fn()];
    const interrupt = listenForInterrupt(first, second);
    for (const name of ['SIGHUP', 'SIGHUP', 'SIGTERM', 'SIGHUP'] as const) process.emit(name, name);
    expect(first.mock.calls).toEqual([['terminated']]);
    expect(interrupt.patienceMs()).toBe(30_000);
    expect(second).not.toHaveBeenCalled();
    process.emit('SIGTERM', 'SIGTERM');
    expect(second).toHaveBeenCalledTimes(1);
    expect(exit).toHaveBeenCalledWith(143);
    interrupt.dispose();
    expect(process.listenerCount('SIGHUP')).toBe(0);
  });
});
