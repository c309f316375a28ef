/**
 * Our modules import `./x.js`, which is `x.ts` until the build. A `moduleNameMapper` could say so too, but Jest looks
 * the file up again for each test file, and for each package that imports `./x.js`.
 * @param {string} path
 * @param {import('jest-resolve').ResolverOptions} options
 * @returns {string}
 */
module.exports = (path, options) => {
  const ours = /^\.{1,2}\/.*\.js$/.test(path) && !/[\\/]node_modules[\\/]/.test(options.basedir);
  return options.defaultResolver(ours ? path.slice(0, -'.js'.length) : path, options);
};
