package dev.ebb.host.plugin.jar;

import org.pf4j.VersionManager;

/** Versions for PF4J, whose own manager needs a library of its own. */
public final class SemanticVersions implements VersionManager {

  @Override
  public boolean checkVersionConstraint(String version, String constraint) {
    VersionRange range = VersionRange.parse(constraint);
    return range != null && range.contains(SemanticVersion.of(version));
  }

  @Override
  public int compareVersions(String a, String b) {
    return SemanticVersion.of(a).compareTo(SemanticVersion.of(b));
  }
}
