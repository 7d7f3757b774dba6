import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { AnswerBody, BodyCut } from '../../api/answer-body.ts';
import { Watch } from '../../api/time-limits.ts';

const LIMITS = { connectTimeoutMs: 60_000, headTimeoutMs: 60_000, totalTimeoutMs: 60_000, idleTimeoutMs: 60_000 };

/** A body from these pieces, and how often it was over. An error at the end breaks it there. */
function bodyOf(
  pieces: readonly (string | Error)[],
  maxBytes = 1_000,
): { body: AnswerBody; over: () => number; source: Readable } {
  const left = [...pieces];
  const source = new Readable({
    read() {
      const piece = left.shift();
      if (piece instanceof Error) this.destroy(piece);
      else this.push(piece === undefined ? null : Buffer.from(piece));
    },
  });
  let ends = 0;
  const watch = new Watch(LIMITS, () => undefined);
  watch.headersReceived();
  const body = new AnswerBody(source, maxBytes, watch, () => {
    watch.stop();
    ends += 1;
  });
  return { body, over: () => ends, source };
}

const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

describe('AnswerBody', () => {
  it('is collected to its end', async () => {
    const { body, over } = bodyOf(['one ', 'two']);
    expect((await body.collect(100)).toString()).toBe('one two');
    expect([body.isWhole, body.cut, over()]).toEqual([true, undefined, 1]);
    // What was collected can be asked for again.
    expect((await body.collect(100)).toString()).toBe('one two');
  });

  it('is collected as far as it comes, and says what cut it', async () => {
    const { body, over } = bodyOf(['one ', reset]);
    expect((await body.collect(100)).toString()).toBe('one ');
    expect(body.isWhole).toBe(false);
    expect(body.cut).toEqual(new BodyCut('the answer broke off (ECONNRESET)'));
    expect(over()).toBe(1);
  });

  it('is given up where it is more than wanted, and cut where it is more than allowed', async () => {
    const wanted = bodyOf(['12345', '67890', 'rest'], 100);
    expect((await wanted.body.collect(7)).toString()).toBe('1234567890');
    expect([wanted.source.destroyed, wanted.body.isWhole, wanted.body.cut]).toEqual([true, false, undefined]);
    const allowed = bodyOf(['12345', '67890', 'rest'], 7);
    expect((await allowed.body.collect(100)).toString()).toBe('12345');
    expect(allowed.body.cut?.message).toBe('the answer is larger than 7 bytes');
    expect(allowed.over()).toBe(1);
  });

  it('shows its start and is whole all the same, as a stream or collected', async () => {
    for (const read of ['stream', 'collect'] as const) {
      const { body, over } = bodyOf(['a', 'bc', 'd']);
      expect((await body.start(1))?.toString()).toBe('a');
      const bytes = read === 'stream' ? await buffer(body.stream()) : await body.collect(100);
      expect(bytes.toString()).toBe('abcd');
      expect([body.isWhole, over()]).toEqual([true, 1]);
    }
  });

  it('has no start where nothing comes', async () => {
    expect(await bodyOf([]).body.start(1)).toBeUndefined();
    expect(await bodyOf([reset]).body.start(1)).toBeUndefined();
  });

  it('breaks as a stream where it breaks, also for a reader that comes later', async () => {
    const { body } = bodyOf(['one ', reset]);
    await expect(buffer(body.stream())).rejects.toEqual(new BodyCut('the answer broke off (ECONNRESET)'));
    const late = bodyOf(['one ', reset]).body;
    await late.collect(100);
    await expect(buffer(late.stream())).rejects.toEqual(new BodyCut('the answer broke off (ECONNRESET)'));
  });

  it('closes its source when its stream is destroyed', () => {
    const { body, source, over } = bodyOf(['one', 'two']);
    body.stream().destroy();
    expect(source.destroyed).toBe(true);
    expect([body.isWhole, body.cut, over()]).toEqual([false, undefined, 1]);
  });

  it('waits for a reader that is slower than its source', async () => {
    const piece = 'x'.repeat(100_000);
    const { body } = bodyOf(
      Array.from({ length: 20 }, () => piece),
      10_000_000,
    );
    await body.start(1);
    let bytes = 0;
    for await (const got of body.stream() as AsyncIterable<Buffer>) {
      bytes += got.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(bytes).toBe(2_000_000);
  });
});
