import { describe, expect, it } from '@jest/globals';
import { identifyAloud, identifyWarning } from '../../../starters/run/identify-aloud.ts';

/** Of a service outside, whose rows may not lead into a private network. */
const apiUrl = (name: string): string => `https://8.8.8.8/${name}/api/open/v1`;

describe('what is behind links', () => {
  it('is not asked of hosts in private networks, which is said before anything is paid for, once', async () => {
    const said: string[] = [];
    const identify = identifyWarning({ say: (line) => said.push(line) });
    const urls = ['http://10.1.2.3/a.mp4', 'http://10.1.2.3/b.mp4', 'http://192.168.0.7:8080/c.mp4'];
    expect(await identify(urls, apiUrl('run'))).toEqual(new Map());
    expect(said).toEqual([
      expect.stringMatching(
        /^warning: Media on 10\.1\.2\.3, 192\.168\.0\.7:8080 are in a private network .* paid for again\.$/,
      ),
    ]);
    await identify(urls, apiUrl('run'));
    await identify([], apiUrl('run'));
    expect(said).toHaveLength(1);
  });

  it('is said by plan, too, after that it asks', async () => {
    const said: string[] = [];
    await identifyAloud({ say: (line) => said.push(line) })(['http://10.1.2.3/a.mp4'], apiUrl('plan'));
    expect(said).toEqual([expect.stringContaining('Asks the servers'), expect.stringContaining('10.1.2.3')]);
  });
});
