import { expect, it } from '@jest/globals';
import { isOfVersion, ofSameVersion, ownerOf } from '../../../policy/lanes/worker-names.ts';

const of = (buildId: string) => ({ deploymentName: 'voxbatch', buildId });
const [a, b, c, plain, other] = [
  ownerOf('host 1 aaaa', of('one')),
  ownerOf('host 2 bbbb', of('one')),
  ownerOf('host 3 cccc', of('two')),
  ownerOf('host 4 dddd', undefined),
  ownerOf('host 5 eeee', undefined),
];

it('only workers of the same version are peers, and those without one among themselves', () => {
  const all = [a, b, c, plain, other];
  expect([ofSameVersion(a, all), ofSameVersion(c, all), ofSameVersion(plain, all)]).toEqual([
    [a, b],
    [c],
    [plain, other],
  ]);
});

it('a version is told from one whose name begins with it, and from the same build of another deployment', () => {
  expect([isOfVersion(a, of('one')), isOfVersion(a, of('on')), isOfVersion(a, of('one2'))]).toEqual([
    true,
    false,
    false,
  ]);
  expect(isOfVersion(a, { deploymentName: 'batch', buildId: 'one' })).toBe(false);
  expect(isOfVersion(plain, of('one'))).toBe(false);
});

it('a worker without a version keeps its name', () => expect(plain).toBe('host 4 dddd'));
