import { describe, expect, it } from '@jest/globals';
import { DELIVERIES_AT_ONCE, NoticeDispatcher } from '../../../client/hooks/notice-dispatcher.ts';
import type { Delivery, Notice, NoticeClaim } from '../../../ledger/notices/notices.ts';

const DONE: Delivery = { type: 'delivered' };

function notice(batch: string, target: Notice['target'] = 'url', id = `${batch} ${target}`): Notice {
  return { id, batch, target, event: 'ended', madeAt: 0, tries: 1 };
}

/** A ledger with these notices, oldest first, and what was delivered of them. */
function outbox(notices: readonly Notice[]) {
  const waiting = [...notices];
  const noted: string[] = [];
  const fits = ({ targets, except = [] }: NoticeClaim, { batch, target }: Notice): boolean =>
    targets?.includes(target) === true && !except.some((one) => one.batch === batch && one.target === target);
  const takeNotice = (claim: NoticeClaim): Promise<Notice | undefined> => {
    const at = waiting.findIndex((one) => fits(claim, one));
    return Promise.resolve(at < 0 ? undefined : waiting.splice(at, 1)[0]);
  };
  const noteDelivery = (id: string): Promise<void> => Promise.resolve(void noted.push(id));
  return { noted, ledger: { takeNotice, noteDelivery, keepNotice: () => Promise.resolve() } };
}

/** Deliveries that end when they are told to. */
function road() {
  const begun: string[] = [];
  const ends = new Map<string, (delivery: Delivery) => void>();
  const deliver = ({ id }: Notice): Promise<Delivery> => {
    begun.push(id);
    return new Promise((resolve) => ends.set(id, resolve));
  };
  return { begun, deliver, end: (id: string) => ends.get(id)?.(DONE) };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('NoticeDispatcher', () => {
  it('delivers to others while one takes its time, and what follows for the same batch and target after it', async () => {
    const { ledger, noted } = outbox([
      notice('a', 'url', '1'),
      notice('a', 'url', '2'),
      notice('b'),
      notice('a', 'command'),
    ]);
    const { begun, deliver, end } = road();
    const dispatcher = new NoticeDispatcher({ ledger, claim: {}, deliver, onResult: () => undefined });
    await dispatcher.begin();
    expect(begun).toEqual(['1', 'b url', 'a command']);
    end('b url');
    await settled();
    expect([begun.length, noted]).toEqual([3, ['b url']]);
    end('1');
    await settled();
    expect(begun.at(-1)).toBe('2');
    for (const id of ['2', 'a command']) end(id);
    await dispatcher.idle();
    expect(noted).toHaveLength(4);
  });

  it('has so many under way and no more, for each target by itself', async () => {
    const batches = Array.from({ length: 20 }, (_, index) => String(index));
    const { ledger, noted } = outbox(batches.flatMap((one) => [notice(one, 'command'), notice(one, 'url')]));
    const { begun, deliver, end } = road();
    const dispatcher = new NoticeDispatcher({ ledger, claim: {}, deliver, onResult: () => undefined });
    await Promise.all([dispatcher.begin(), dispatcher.begin()]);
    expect(begun.filter((id) => id.endsWith('command'))).toHaveLength(DELIVERIES_AT_ONCE.command);
    expect(begun.filter((id) => id.endsWith('url'))).toHaveLength(DELIVERIES_AT_ONCE.url);
    for (let index = 0; index < begun.length; index += 1) {
      end(begun[index] ?? '');
      await settled();
    }
    await dispatcher.idle();
    expect(new Set(noted).size).toBe(40);
  });

  it('looks for no more before the files of a batch are written, also when one has just been delivered', async () => {
    const { ledger, noted } = outbox([notice('a', 'url', '1'), notice('a', 'url', '2')]);
    const { begun, deliver, end } = road();
    let write = (): void => undefined;
    const before = (): Promise<void> => new Promise((resolve) => (write = resolve));
    const dispatcher = new NoticeDispatcher({ ledger, before, claim: {}, deliver, onResult: () => undefined });
    const beginning = dispatcher.begin();
    await settled();
    expect(begun).toEqual([]);
    for (const id of ['1', '2']) {
      // Once for the notice, and once for the search after it, which finds none while that is under way.
      for (let search = 0; search < 2; search += 1) {
        write();
        await settled();
      }
      expect(begun.at(-1)).toBe(id);
      end(id);
      await settled();
    }
    expect(noted).toEqual(['1', '2']);
    write();
    await Promise.all([beginning, dispatcher.idle()]);
  });

  it('begins nothing more once it is closed, and passes on what ended a delivery', async () => {
    const { ledger, noted } = outbox([notice('a', 'url', '1'), notice('a', 'url', '2')]);
    const { begun, deliver, end } = road();
    const dispatcher = new NoticeDispatcher({ ledger, claim: {}, deliver, onResult: () => undefined });
    await dispatcher.begin();
    dispatcher.close();
    end('1');
    await dispatcher.idle();
    expect([begun, noted]).toEqual([['1'], ['1']]);

    const failing = outbox([notice('a')]);
    const broken = new NoticeDispatcher({
      ledger: failing.ledger,
      claim: {},
      deliver: () => Promise.reject(new Error('no ledger')),
      onResult: () => undefined,
    });
    await broken.begin().catch(() => undefined);
    await expect(broken.idle()).rejects.toThrow('no ledger');
    await expect(broken.begin()).rejects.toThrow('no ledger');
  });
});
