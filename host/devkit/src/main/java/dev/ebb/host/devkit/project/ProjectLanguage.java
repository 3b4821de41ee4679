package dev.ebb.host.devkit.project;

import java.util.Locale;

/** The language of a new project. */
public enum ProjectLanguage {
  /** Java. */
  JAVA(".java"),
  /** Kotlin, whose standard library is packed into the plugin. */
  KOTLIN(".kt");

  private final String extension;

  ProjectLanguage(String extension) {
    this.extension = extension;
  }

  String extension() {
    return extension;
  }

  /** Returns the name in options, and of the folder of its sources below {@code src/main}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
