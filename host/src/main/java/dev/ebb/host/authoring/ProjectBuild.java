package dev.ebb.host.authoring;

/** What builds a new project. */
public enum ProjectBuild {
  /** Apache Maven, with the contract test as a JUnit test. */
  MAVEN,
  /** A script of a few lines that calls {@code javac} and {@code jar}. */
  JAVAC
}
