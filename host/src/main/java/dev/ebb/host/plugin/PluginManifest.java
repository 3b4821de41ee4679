package dev.ebb.host.plugin;

import dev.ebb.spi.SpiVersion;
import java.util.jar.Attributes;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a plugin says of itself in its JAR's manifest.
 *
 * @param id names the plugin across its versions
 * @param version a semantic version
 */
record PluginManifest(String id, String version) {

  static final String ID = "Plugin-Id";
  static final String VERSION = "Plugin-Version";

  private static final String REQUIRES = "Plugin-Requires";
  private static final String DEPENDENCIES = "Plugin-Dependencies";
  private static final String EXAMPLE = "for example '>=0.1.0 & <0.2.0'";
  private static final Pattern VALID_ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");

  /** Reads and judges; refuses what cannot be loaded, before there is a class loader. */
  static PluginManifest of(Attributes manifest) {
    String id = required(manifest, ID, "the plugin's name, for example 'acme-lru'");
    if (!VALID_ID.matcher(id).matches()) {
      throw new PluginRefusal(
          ID + " '" + id + "' must be letters, digits, dots, dashes and underscores");
    }
    String version = required(manifest, VERSION, "a semantic version, for example '1.0.0'");
    if (!Versions.isVersion(version)) {
      throw new PluginRefusal(
          VERSION + " '" + version + "' must be a semantic version, for example '1.0.0'");
    }
    checkRequires(
        required(manifest, REQUIRES, "the versions of dev.ebb.spi it works with, " + EXAMPLE));
    if (value(manifest, DEPENDENCIES) != null) {
      throw new PluginRefusal(
          DEPENDENCIES + " is not supported: pack what the plugin needs into its JAR");
    }
    return new PluginManifest(id, version);
  }

  static @Nullable String value(Attributes manifest, String name) {
    String value = manifest.getValue(name);
    return value == null || value.isBlank() ? null : value.strip();
  }

  private static void checkRequires(String range) {
    if (!Versions.isRange(range)) {
      throw new PluginRefusal(
          REQUIRES + " '" + range + "' cannot be read as a range; write " + EXAMPLE);
    }
    if (!Versions.isBounded(range)) {
      throw new PluginRefusal(
          REQUIRES + " '" + range + "' must be a range bounded on both sides, " + EXAMPLE);
    }
    if (!Versions.satisfies(SpiVersion.current(), range)) {
      throw new PluginRefusal(
          "%s '%s' excludes dev.ebb.spi %s, which is running; use a build of the plugin for it, or build it anew against ebb-spi %s and widen the range"
              .formatted(REQUIRES, range, SpiVersion.current(), SpiVersion.current()));
    }
  }

  private static String required(Attributes manifest, String name, String what) {
    String value = value(manifest, name);
    if (value == null) {
      throw new PluginRefusal("its manifest has no " + name + "; add " + what);
    }
    return value;
  }
}
