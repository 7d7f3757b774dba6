import { describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { openMediaStore } from '../../../store/media-store.ts';
import type { BucketBytes } from '../../../store/s3/s3-bytes.ts';
import type { Store } from '../../../store/store.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { freshFolder } from '../../support/fresh-folder.ts';
import { checkStored } from '../../../results/files.ts';
import { FILE, isCopy, openOn, putSound, SOUND } from './odd-server.ts';

/** Objects that a server refuses for good, while it gives the others: archived, or encrypted with a key that is gone. */

const readsFile = (request: IncomingMessage): boolean =>
  (request.method === 'GET' && request.url?.includes(FILE.key) === true) || isCopy(request);

/** A worker's store with the file, which is refused with this code. */
async function openRefusing(
  code: string,
  isRefused = readsFile,
): Promise<{ readonly bytes: BucketBytes; readonly store: Store }> {
  const bytes = await openOn((request) => (isRefused(request) ? [403, code] : undefined));
  const store = openMediaStore(bytes);
  endAfterTest(() => store.close());
  await store.claim('me');
  bytes.outage.limit(Infinity);
  await putSound(bytes);
  return { bytes, store };
}

describe.each([
  ['InvalidObjectState', 'archived'],
  ['KMS.NotFoundException', 'unreadable'],
])('a file that is refused (%s)', (code, is) => {
  it('is none to reuse, and holds up nothing', async () => {
    const { bytes, store } = await openRefusing(code);
    expect(await store.reuse(FILE, 'c/1')).toEqual({ type: 'missing' });
    expect(bytes.outage.trouble).toBeUndefined();
  });

  it(`is ${is} to who reads it, and can be stored again`, async () => {
    const { bytes, store } = await openRefusing(code);
    expect(await checkStored(FILE, store)).toBe(is);
    expect(await store.join([{ ...FILE, pauseMs: 0 }], 'c/2')).toEqual({ type: 'damaged', at: 0, is });
    expect(await store.find('b/1', { family: 'audio', extension: 'mp3' })).toBeUndefined();
    expect(await store.seconds(FILE)).toBeUndefined();
    await putSound(bytes);
  });

  it('is not lost while the mark of the place is refused, too', async () => {
    let isMarkRefused = false;
    const isRefused = (request: IncomingMessage): boolean =>
      readsFile(request) || (isMarkRefused && request.url?.endsWith('.ledger') === true);
    const { bytes, store } = await openRefusing(code, isRefused);
    isMarkRefused = true;
    const reusing = store.reuse(FILE, 'c/1');
    const ended = expect(reusing).rejects.toMatchObject({ code });
    while (bytes.outage.trouble === undefined) await new Promise(setImmediate);
    expect(bytes.outage.trouble).toContain(code);
    bytes.outage.limit(0);
    await ended;
  });
});

it('a copy that is refused for its own key is refused, and its source is not lost', async () => {
  const bytes = await openOn(({ method, url }) =>
    method === 'PUT' && url?.includes('c/1') === true ? [400, 'KMS.DisabledException'] : undefined,
  );
  await putSound(bytes);
  await expect(bytes.copy(FILE, 'c/1.mp3')).rejects.toMatchObject({ code: 'KMS.DisabledException' });
});

it.each(['AccessDenied', 'KMS.DisabledException'])(
  'an object without rights or a key to it (%s) concerns the place, as a person can mend it, and is named',
  async (code) => {
    const { bytes, store } = await openRefusing(code);
    bytes.outage.limit(300);
    await expect(store.reuse(FILE, 'c/1')).rejects.toMatchObject({ code });
    await expect(store.read(FILE.key)).rejects.toThrow('b/1.mp3');
  },
);

it.each([{ 'x-amz-storage-class': 'GLACIER' }, { 'x-amz-archive-status': 'ARCHIVE_ACCESS' }])(
  'an upload that is archived (%j) is uploaded again before a job is to fetch it',
  async (headers) => {
    let puts = 0;
    const count = ({ method }: IncomingMessage): undefined => void (puts += Number(method === 'PUT'));
    const bytes = await openOn(count, { headers });
    const store = openMediaStore(bytes);
    endAfterTest(() => store.close());
    const path = `${freshFolder()}/1.mp3`;
    await writeFile(path, SOUND);
    for (let times = 0; times < 2; times++) await store.urls?.upload({ path, ...FILE }, '_inputs/1.mp3');
    expect(puts).toBe(2);
  },
);
