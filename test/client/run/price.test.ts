import { expect, it } from '@jest/globals';
import { identifyWithEvents, type IdentifyEvent } from '../../../client/run/price.ts';
import { pricingLines } from '../../../starters/run/pricing-words.ts';

/** Of a service outside, whose rows may not lead into a private network. */
const apiUrl = 'https://8.8.8.8/run/api/open/v1';

it('what is behind links is not asked of hosts in private networks, which is told before anything is paid for, once', async () => {
  const told: IdentifyEvent[] = [];
  const identify = identifyWithEvents((event) => told.push(event));
  const urls = ['http://10.1.2.3/a.mp4', 'http://10.1.2.3/b.mp4', 'http://192.168.0.7:8080/c.mp4'];
  expect(await identify([], apiUrl)).toEqual(new Map());
  expect(told).toEqual([]);
  expect(await identify(urls, apiUrl)).toEqual(new Map());
  expect(told).toEqual([{ type: 'identifying' }, { type: 'unasked', hosts: ['10.1.2.3', '192.168.0.7:8080'] }]);
  await identify(urls, apiUrl);
  expect(told).toHaveLength(2);
  expect(told.flatMap((event) => pricingLines(event))).toEqual([
    expect.stringMatching(
      /^warning: Media on 10\.1\.2\.3, 192\.168\.0\.7:8080 are in a private network .* paid for again\.$/,
    ),
  ]);
});
