/**
 * AWS's search for credentials. It is large, so `credentials.ts` imports this file lazily. It does not import the
 * package lazily itself, because that is CommonJS: in the built file, a dynamic import of it has only a `default`
 * export (`build.mjs` refuses that).
 */
export { defaultProvider } from '@aws-sdk/credential-provider-node';
