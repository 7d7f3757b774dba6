/**
 * AWS's search for credentials, which is large: to be imported lazily. The package is CommonJS. Imported lazily itself,
 * it would have its names from source, but not in the built file, where only `default` is left (`build.mjs` refuses
 * that).
 */
export { defaultProvider } from '@aws-sdk/credential-provider-node';
