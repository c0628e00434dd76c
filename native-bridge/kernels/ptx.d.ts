/** PTX as text, put in by the bundler. */
declare module '*.ptx?raw' {
  const text: string;
  export default text;
}
