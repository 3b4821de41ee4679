package dev.ebb.host.plugin.jar;

import java.nio.file.Path;

/**
 * A dropped JAR and the private copy that is loaded in its place.
 *
 * @param copy the copy, which is never overwritten with other content
 */
public record StagedJar(Path file, Path copy, String sha256) {}
