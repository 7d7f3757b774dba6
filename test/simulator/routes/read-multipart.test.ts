import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readMultipart } from '../../../simulator/routes/read-multipart.ts';
import { scaleRuns } from '../../support/property-runs.ts';

/** A form as Node's own fetch sends it. */
async function encode(fields: readonly { name: string; file?: Uint8Array }[]): Promise<[string, Buffer]> {
  const form = new FormData();
  for (const { name, file } of fields) {
    if (file === undefined) form.append(name, 'text');
    else form.append(name, new Blob([Uint8Array.from(file)]), 'a.wav');
  }
  const request = new Request('http://localhost/', { method: 'POST', body: form });
  return [request.headers.get('content-type') ?? '', Buffer.from(await request.arrayBuffer())];
}

describe('readMultipart', () => {
  it('reads back any files', async () => {
    const file = fc.record({ name: fc.stringMatching(/^[a-z]{1,8}$/), file: fc.uint8Array({ maxLength: 200 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 4 }), async (files) => {
        const parts = readMultipart(...(await encode(files)));
        expect(parts?.map(({ name, data }) => [name, [...data]])).toEqual(files.map((f) => [f.name, [...f.file]]));
      }),
      { numRuns: scaleRuns(50) },
    );
  });

  it('tells files from fields', async () => {
    const parts = readMultipart(...(await encode([{ name: 'name' }, { name: 'audioFiles', file: new Uint8Array(3) }])));
    expect(parts?.map(({ name, fileName }) => [name, fileName])).toEqual([
      ['name', undefined],
      ['audioFiles', 'a.wav'],
    ]);
  });

  it.each([
    ['multipart/form-data', '--B\r\n'],
    ['multipart/form-data; boundary=B', 'nothing'],
    ['multipart/form-data; boundary=B', '--B\r\nno header end\r\n--B--'],
    ['multipart/form-data; boundary=B', '--B\r\ncontent-disposition: form-data; name="a"\r\n\r\ncut off'],
    ['multipart/form-data; boundary=B', '--B\r\ncontent-disposition: form-data\r\n\r\nx\r\n--B--'],
  ])('refuses %s with %j', (type, body) => expect(readMultipart(type, Buffer.from(body))).toBeNull());
});
