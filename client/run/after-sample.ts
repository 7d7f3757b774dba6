// For `starters/`, which may not import `policy/`.
export { decideAfterSample } from '../../policy/subset/after-sample.ts';
