const { default: Runtime } = require('jest-runtime');

/**
 * The sources of the installed packages. They don't change during a run.
 * @type {Map<string, string>}
 */
const packages = new Map();

/**
 * The sources that a test file has read.
 * @extends {Map<string, string>}
 */
class Sources extends Map {
  /**
   * @override
   * @param {string} path
   */
  get(path) {
    return super.get(path) ?? packages.get(path);
  }

  /**
   * @override
   * @param {string} path
   * @param {string} source
   */
  set(path, source) {
    if (!/[\\/]node_modules[\\/]/.test(path)) return super.set(path, source);
    packages.set(path, source);
    return this;
  }
}

/**
 * Jest reads some 2,000 files of packages again for each test file. A worker reads them once (3 % less processor time).
 */
module.exports = class extends Runtime {
  /** @param {ConstructorParameters<typeof Runtime>} options */
  constructor(...options) {
    const [config, environment, resolver, transformer, sources, ...rest] = options;
    super(config, environment, resolver, transformer, new Sources(sources), ...rest);
  }
};
