import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Connection } from '@temporalio/client';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { createInterface } from 'node:readline';
import { pathsIn } from '../../embedded/home.ts';
import { joinServer, type Membership } from '../../embedded/join-server.ts';
import { isServerProcess, readServerRecord, type ServerRecord } from '../../embedded/server-record.ts';
import { ServerUnavailable } from '../../embedded/server-unavailable.ts';
import { spawnTypescript } from '../support/run-typescript.ts';
import { waitFor } from '../support/wait-for.ts';

let folder: string;
let members: Membership[];
let children: ChildProcess[];
let said: string[];

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'voxbatch-join-')));
  members = [];
  children = [];
  said = [];
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(members.map((member) => member.leave()));
  const left = readServerRecord(paths());
  if (left !== undefined && isServerProcess(paths(), left.pid)) process.kill(left.pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const paths = (): ReturnType<typeof pathsIn> => pathsIn(join(folder, 'home'));

async function joinHere(): Promise<Membership> {
  const member = await joinServer({ home: paths().home, env, say: (line) => said.push(line) });
  members.push(member);
  return member;
}

/** A member in a process of its own, once it has joined. */
async function joinElsewhere(): Promise<{ child: ChildProcess; joined: Membership }> {
  const child = spawnTypescript('test/support/embedded-member.ts', [paths().home]);
  children.push(child);
  const { stdout } = child;
  if (stdout === null) throw new Error('the child has no stdout');
  for await (const line of createInterface(stdout)) {
    if (line.startsWith('joined ')) return { child, joined: JSON.parse(line.slice('joined '.length)) as Membership };
  }
  throw new Error('the child ended before it had joined');
}

/** Stops this thread until a condition holds, 4 minutes at most. */
function standStillUntil(condition: () => boolean): void {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let looks = 0; looks < 24_000 && !condition(); looks++) Atomics.wait(clock, 0, 0, 10);
}

async function killed(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

function recorded(): ServerRecord {
  const record = readServerRecord(paths());
  if (record === undefined) throw new Error('there is no server.json');
  return record;
}

async function useServer(address: string): Promise<void> {
  const connection = await Connection.connect({ address });
  await connection.workflowService.listWorkflowExecutions({ namespace: 'default' });
  await connection.close();
}

describe('joining', () => {
  it('starts a server, shares it, and stops it with the last one out', async () => {
    const first = await joinHere();
    expect(first).toMatchObject({ alone: true, namespace: 'default' });
    await useServer(first.address);
    const { pid } = recorded();

    const { child, joined } = await joinElsewhere();
    expect(joined).toMatchObject({ alone: false, address: first.address, version: first.version });
    expect(recorded().pid).toBe(pid);

    await first.leave();
    await first.leave();
    await useServer(first.address);

    await killed(child, 'SIGTERM');
    expect(isServerProcess(paths(), pid)).toBe(false);
    expect(existsSync(paths().serverRecord)).toBe(false);
  });

  it('finds out anew who else is there, which those who come and go meanwhile change', async () => {
    const member = await joinHere();
    expect({ alone: member.alone, now: await member.proveAlone() }).toEqual({ alone: true, now: true });
    const { child } = await joinElsewhere();
    expect(await member.proveAlone()).toBe(false);
    await killed(child, 'SIGKILL');
    expect(await member.proveAlone()).toBe(true);
    // It has kept its own share all the time.
    const other = await joinHere();
    expect(other.alone).toBe(false);
  });

  it.each<[string, (before: ServerRecord) => void, { readonly server: boolean; readonly database: boolean }]>([
    ['takes over a server of a member that was killed', () => undefined, { server: true, database: true }],
    [
      'uses a server whose starter was killed before it could complete the record',
      ({ clusterId: _, ...incomplete }) => {
        writeFileSync(paths().serverRecord, JSON.stringify(incomplete));
      },
      { server: true, database: true },
    ],
    [
      'restarts a server that died with its members, on the same database',
      ({ pid }) => process.kill(pid, 'SIGKILL'),
      { server: false, database: true },
    ],
    ['replaces a server that hangs', ({ pid }) => process.kill(pid, 'SIGSTOP'), { server: false, database: true }],
    [
      'starts anew when temporal.db was deleted, under a living server too',
      () => {
        rmSync(paths().temporal);
      },
      { server: false, database: false },
    ],
  ])('%s', async (_, harm, kept) => {
    const { child } = await joinElsewhere();
    const before = recorded();
    await killed(child, 'SIGKILL');
    harm(before);
    const member = await joinHere();
    const now = recorded();
    // A record that is not complete names no database.
    const { clusterId = before.clusterId } = now;
    expect({ server: now.pid === before.pid, database: clusterId === before.clusterId }).toEqual(kept);
    expect(member.alone).toBe(true);
    expect(member.address).toBe(`127.0.0.1:${String(now.port)}`);
    await useServer(member.address);
  });

  it('does not touch a process that has the pid of a dead server', async () => {
    const { child } = await joinElsewhere();
    const before = recorded();
    await killed(child, 'SIGKILL');
    process.kill(before.pid, 'SIGKILL');
    const bystander = spawnTypescript('test/support/stay.ts');
    children.push(bystander);
    writeFileSync(paths().serverRecord, JSON.stringify({ ...before, pid: bystander.pid }));

    await joinHere();
    expect(recorded().pid).not.toBe(bystander.pid);
    expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
  });

  it('refuses a temporal.db of a newer server, and says how to go on', async () => {
    const first = await joinHere();
    await first.leave();
    writeFileSync(paths().temporalVersion, '99.1.0\n');
    await expect(joinHere()).rejects.toThrow(/made by Temporal server 99\.1\.0/);
    await expect(joinHere()).rejects.toBeInstanceOf(ServerUnavailable);

    rmSync(paths().temporal);
    await joinHere();
    expect(readFileSync(paths().temporalVersion, 'utf8').trim()).toBe(first.version);
  });

  it('refuses to start a second server on a database that somebody has open', async () => {
    const { child } = await joinElsewhere();
    const { pid } = recorded();
    await killed(child, 'SIGKILL');
    rmSync(paths().serverRecord);
    try {
      await expect(joinHere()).rejects.toThrow(/Another process has .*temporal\.db open/);
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  });

  it('leaves no server behind when it is aborted', async () => {
    const aborting = new AbortController();
    let pid: number | undefined;
    // Nothing else runs here meanwhile, so the server cannot be joined before it is aborted.
    const onServer = (): void => {
      standStillUntil(() => existsSync(paths().serverRecord));
      ({ pid } = recorded());
      aborting.abort(new Error('Ctrl-C'));
    };
    const { signal } = aborting;
    const joining = joinServer({ home: paths().home, env, say: () => undefined, signal, onServer });
    await expect(joining).rejects.toThrow('Ctrl-C');
    expect(pid).toBeGreaterThan(0);
    expect(isServerProcess(paths(), pid ?? 0)).toBe(false);
  });
});

it('watching a server restores a killed server once, on the same address, and clients find it again', async () => {
  const member = await joinHere();
  await joinElsewhere();
  const connection = await Connection.connect({ address: member.address });
  const before = recorded();
  process.kill(before.pid, 'SIGKILL');
  await waitFor(() => said.includes('The Temporal server runs again.'));

  const after = recorded();
  expect(after.pid).not.toBe(before.pid);
  expect(after).toMatchObject({ port: before.port, clusterId: before.clusterId });
  await useServer(member.address);
  await waitFor(async () => {
    try {
      await connection.workflowService.listWorkflowExecutions({ namespace: 'default' });
      return true;
    } catch {
      return false;
    }
  });
  expect(recorded()).toEqual(after);
  await connection.close();
});
