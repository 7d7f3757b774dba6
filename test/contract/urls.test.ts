import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { withoutSecrets } from '../../contract/urls.ts';

describe('a place that is shown', () => {
  it.each([
    ['/srv/voxbatch/ledger.db', '/srv/voxbatch/ledger.db'],
    ['C:\\voxbatch\\ledger.db', 'C:\\voxbatch\\ledger.db'],
    ['postgres://db.example/vox', 'postgres://db.example/vox'],
    ['postgres://ann:s3cret@db.example:5432/vox', 'postgres://ann@db.example:5432/vox'],
    ['postgres://:s3cret@db.example/vox', 'postgres://db.example/vox'],
    ['postgres://db.example/vox?user=ann&password=s3cret', 'postgres://db.example/vox'],
    // A password with characters that should have been escaped.
    ['postgres://ann:s3/cr@et@db.example/vox', 'postgres://ann@db.example/vox'],
  ])('is of %s: %s', (place, shown) => expect(withoutSecrets(place)).toBe(shown));

  it('never holds a password', () => {
    fc.assert(
      fc.property(fc.string(), (noise) => {
        const secret = `${noise}S3CRET${noise}`;
        expect(withoutSecrets(`postgres://ann:${secret}@db.example/vox`)).not.toContain('S3CRET');
        expect(withoutSecrets(`postgres://db.example/vox?password=S3CRET${encodeURIComponent(noise)}`)).not.toContain(
          'S3CRET',
        );
      }),
    );
  });
});
