import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach } from '@jest/globals';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { ResultFile } from '../../ledger/records.ts';
import type { FinishingStore } from '../../results/sound/make-finished.ts';
import type { JoiningStore } from '../../results/sound/make-joined.ts';
import type { ProjectionRequest } from '../../results/write-out-folder.ts';
import { joinFiles } from '../../store/join-files.ts';
import type { Joined, StoredPart } from '../../store/store.ts';
import { openTestLedger } from './open-test-ledger.ts';

/** Media in a folder; `isLocal: false` hides the paths, as a store on another machine does. */
export class FolderOfMedia implements JoiningStore, FinishingStore {
  readonly folder: string;
  readonly isLocal: boolean;
  /** Path of the ffmpeg that it finds, if any. */
  program: string | undefined;

  constructor(folder: string, isLocal = true) {
    this.folder = folder;
    this.isLocal = isLocal;
  }

  async put(key: string, content: string | Buffer): Promise<ResultFile> {
    const path = join(this.folder, key);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    const sha256 = createHash('sha256').update(content).digest('hex');
    return { key, bytes: Buffer.byteLength(content), sha256, extension: key.slice(key.lastIndexOf('.') + 1) };
  }

  async read(key: string): Promise<Readable> {
    return (await open(join(this.folder, key))).createReadStream();
  }

  pathOf(key: string): string | undefined {
    return this.isLocal ? join(this.folder, key) : undefined;
  }

  join(files: readonly StoredPart[], stem: string): Promise<Joined> {
    const into = { root: this.folder };
    const parts = files.map((file) => ({ ...file, path: join(this.folder, file.key) }));
    return joinFiles({ files: parts, stem, parts: into, into });
  }

  ffmpeg(): Promise<string | undefined> {
    return Promise.resolve(this.program);
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) await rm(join(this.folder, key), { force: true });
  }
}

/** A ledger, a store and an out folder, together in a temporary folder. */
export interface Place {
  readonly folder: string;
  readonly ledger: Ledger;
  readonly store: FolderOfMedia;
  /** The out folder; nothing has made it yet. */
  readonly out: string;
  /** What the ledger has of a batch, by default `demo`. */
  batch(name?: string): Promise<BatchRecord>;
  /** A request to write the files of `demo` to the out folder. */
  request(change?: Partial<ProjectionRequest>): ProjectionRequest;
}

/** A fresh place for each test of a file; there is none between tests. */
export function freshPlace(): Place {
  let opened: Pick<Place, 'folder' | 'ledger' | 'store'> | undefined;
  const now = (): Pick<Place, 'folder' | 'ledger' | 'store'> => {
    if (opened === undefined) throw new Error('There is a place in a test only.');
    return opened;
  };
  beforeEach(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'voxbatch-place-'));
    const ledger = await openTestLedger(join(folder, 'ledger.db'));
    opened = { folder, ledger, store: new FolderOfMedia(join(folder, 'store')) };
  });
  afterEach(async () => {
    const { folder, ledger } = now();
    opened = undefined;
    await ledger.close();
    await rm(folder, { recursive: true });
  });
  return {
    get folder() {
      return now().folder;
    },
    get ledger() {
      return now().ledger;
    },
    get store() {
      return now().store;
    },
    get out() {
      return join(now().folder, 'out');
    },
    async batch(name = 'demo') {
      const batch = await this.ledger.findBatch(name);
      if (batch === undefined) throw new Error(`The place has no batch "${name}".`);
      return batch;
    },
    request(change) {
      const { ledger, store, out } = this;
      return { ledger, store, out, batch: 'demo', complete: true, voxbatchVersion: '0.1.0', ...change };
    },
  };
}
