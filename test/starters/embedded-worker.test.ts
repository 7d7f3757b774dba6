import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../store/store.ts';
import { startEmbeddedWorker } from '../../starters/embedded-worker.ts';
import { ExitError } from '../../starters/exit-error.ts';
import type { OpenApi } from '../../starters/open-api.ts';
import type { Temporal } from '../../starters/open-temporal.ts';
import { deskForEach } from './steering.ts';

const desk = deskForEach();
/** Nobody listens there. */
const ADDRESS = '127.0.0.1:1';

describe('the worker of a command', () => {
  it('says that Temporal cannot be reached where that went away after the command had found it', async () => {
    const home = mkdtempSync(join(tmpdir(), 'voxbatch-worker-'));
    const temporal = { address: ADDRESS, namespace: 'default', connection: { address: ADDRESS }, isEmbedded: true };
    const open = { api: { baseUrl: 'http://127.0.0.1/api/open/v1' }, profile: { userId: 'u1' } };
    const starting = startEmbeddedWorker({
      temporal: { ...temporal, alone: false } as unknown as Temporal,
      ledger: desk.ledger,
      store: {} as Store,
      open: open as unknown as OpenApi,
      home,
      onFault: () => undefined,
      atFaultPoint: undefined,
    });
    const error: unknown = await starting.catch((reason: unknown) => reason);
    rmSync(home, { recursive: true });
    expect(error).toBeInstanceOf(ExitError);
    expect(error).toMatchObject({ exit: 'unreachable' });
    expect(String(error)).toContain(`Temporal at ${ADDRESS} went away`);
  });
});
