package dev.ebb.host.plugin.jar;

import dev.ebb.host.errors.UntrustedText;
import dev.ebb.spi.SpiVersion;
import java.util.List;
import java.util.jar.Attributes;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A plugin's description in its JAR's manifest. */
public record PluginManifest(String id, String version) {

  public static final String ID = "Plugin-Id";
  public static final String VERSION = "Plugin-Version";

  private static final String REQUIRES = "Plugin-Requires";
  private static final String DEPENDENCIES = "Plugin-Dependencies";

  /** Would load JARs that nothing checks, such as ebb.plugins.allow. */
  private static final String CLASS_PATH = "Class-Path";

  private static final String RANGE = "'" + SpiRange.from(SpiVersion.current()) + "'";
  private static final String EXAMPLE = "for example " + RANGE;
  private static final Pattern VALID_ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");

  /** Reads a manifest without problems. */
  static PluginManifest of(Attributes manifest) {
    return new PluginManifest(
        String.valueOf(value(manifest, ID)), String.valueOf(value(manifest, VERSION)));
  }

  /**
   * Returns the reasons not to load a JAR that are known before there is a class loader; one
   * message each.
   *
   * @param unended the last line of the file if it has no line end
   */
  static List<String> problems(Attributes manifest, String unended) {
    return Stream.of(
            id(manifest, unended),
            version(manifest, unended),
            requires(manifest, unended),
            unsupported(manifest, DEPENDENCIES),
            unsupported(manifest, CLASS_PATH))
        .filter(problem -> !problem.isEmpty())
        .toList();
  }

  static @Nullable String value(Attributes manifest, String name) {
    String value = manifest.getValue(name);
    return value == null || value.isBlank() ? null : value.strip();
  }

  /** Returns an attribute as shown, whether it can be used or not. */
  public static @Nullable String shown(Attributes manifest, String name) {
    String value = value(manifest, name);
    return value == null ? null : UntrustedText.line(value);
  }

  private static String id(Attributes manifest, String unended) {
    String id = value(manifest, ID);
    if (id == null) {
      return missing(ID, unended, "the plugin's name, for example 'acme-lru'");
    }
    String tooLong = NameLength.problem(ID, id);
    return !tooLong.isEmpty() || VALID_ID.matcher(id).matches()
        ? tooLong
        : ID
            + " '"
            + UntrustedText.line(id)
            + "' must be letters, digits, dots, dashes and underscores";
  }

  private static String version(Attributes manifest, String unended) {
    String version = value(manifest, VERSION);
    if (version == null) {
      return missing(VERSION, unended, "a semantic version, for example '1.0.0'");
    }
    String tooLong = NameLength.problem(VERSION, version);
    return !tooLong.isEmpty() || SemanticVersion.parse(version) != null
        ? tooLong
        : VERSION
            + " '"
            + UntrustedText.line(version)
            + "' must be a semantic version, for example '1.0.0'";
  }

  private static String requires(Attributes manifest, String unended) {
    String range = value(manifest, REQUIRES);
    if (range == null) {
      return missing(REQUIRES, unended, "the versions of dev.ebb.spi it works with, " + EXAMPLE);
    }
    String given = REQUIRES + " '" + UntrustedText.line(range) + "' ";
    VersionRange versions = VersionRange.parse(range);
    if (versions == null) {
      return given + "cannot be read as a range; write " + EXAMPLE;
    }
    if (VersionRange.isOneVersion(range) || !versions.isBounded()) {
      return given + "must be a range bounded on both sides, " + EXAMPLE;
    }
    if (versions.isEmpty()) {
      return given + "contains no version; write " + EXAMPLE;
    }
    String running = SpiVersion.current();
    return versions.contains(SemanticVersion.of(running))
        ? ""
        : given
            + "excludes dev.ebb.spi %s, which is running; use a build of the plugin for it, or build it again with ebb-spi %s and write %s"
                .formatted(running, running, RANGE);
  }

  private static String unsupported(Attributes manifest, String name) {
    return value(manifest, name) == null
        ? ""
        : name + " is not supported: pack what the plugin needs into its JAR";
  }

  private static String missing(String name, String unended, String what) {
    return unended.startsWith(name + ":")
        ? "its manifest has no %s (the file contains it, but the last line of a manifest needs a line end)"
            .formatted(name)
        : "its manifest has no " + name + "; add " + what;
  }
}
