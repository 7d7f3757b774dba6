/** Path of what a source was compiled to for the tests: a file that Node runs. */
export declare function compiledOf(source: string): string;
