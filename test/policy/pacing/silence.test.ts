import { describe, expect, it } from '@jest/globals';
import type { TtsMode } from '../../../contract/row-kinds.ts';
import { silenceOf, type ApiCallFacts, type Silence } from '../../../policy/pacing/silence.ts';

const NOW = 1_000_000;
const ago = (seconds: number): number => NOW - seconds * 1_000;
const failing = (since: number, last: number, pausedFor = 0) => ({
  ...{ since: ago(since), lastAt: ago(last), pausedUntil: ago(last - pausedFor) },
});
const onWire = (requests: number, since: number) => ({ requests, since: ago(since) });

function silence(heard: Partial<ApiCallFacts>, tts: TtsMode = 'job'): Silence | undefined {
  return silenceOf({ failing: [], onWire: undefined, answeredAt: 0, ...heard }, { tts }, NOW);
}

describe('the API is silent', () => {
  it('where calls fail for a while, since the first of them', () => {
    expect(silence({ failing: [failing(14, 1)] })).toBeUndefined();
    expect(silence({ failing: [failing(20, 5), failing(40, 2)] })).toEqual({ since: ago(40), requests: 0 });
  });

  it('where it answers none of the requests on the wire, and tells how many', () => {
    expect(silence({ onWire: onWire(8, 14) })).toBeUndefined();
    expect(silence({ onWire: onWire(8, 16) })).toEqual({ since: ago(16), requests: 8 });
  });

  it('only later where an answer is the whole speech', () => {
    expect(silence({ onWire: onWire(8, 59) }, 'sync')).toBeUndefined();
    expect(silence({ onWire: onWire(8, 61) }, 'sync')).toEqual({ since: ago(61), requests: 8 });
    expect(silence({ failing: [failing(20, 1)] }, 'sync')).toEqual({ since: ago(20), requests: 0 });
  });

  it('since its last answer, whichever call got it', () => {
    expect(silence({ onWire: onWire(8, 90), answeredAt: ago(10) })).toBeUndefined();
    expect(silence({ onWire: onWire(8, 90), answeredAt: ago(20) })).toEqual({ since: ago(20), requests: 8 });
    expect(silence({ failing: [failing(180, 3)], answeredAt: ago(60) })).toEqual({ since: ago(60), requests: 0 });
  });

  it('no longer once anything was answered after the last failure', () => {
    expect(silence({ failing: [failing(90, 30)], answeredAt: ago(29) })).toBeUndefined();
  });

  it('no longer once nobody calls it, as for a paused batch: calls that fail are repeated', () => {
    expect(silence({ failing: [failing(900, 299)] })).toEqual({ since: ago(900), requests: 0 });
    expect(silence({ failing: [failing(900, 301)] })).toBeUndefined();
    // It had asked for a long pause.
    expect(silence({ failing: [failing(900, 600, 590)] })).toEqual({ since: ago(900), requests: 0 });
  });

  it('since the earliest that is known, where requests wait and calls fail', () => {
    const both = { failing: [failing(180, 3)], onWire: onWire(2, 20) };
    expect(silence(both)).toEqual({ since: ago(180), requests: 0 });
    expect(silence({ ...both, failing: [failing(18, 3)] })).toEqual({ since: ago(20), requests: 2 });
  });
});
