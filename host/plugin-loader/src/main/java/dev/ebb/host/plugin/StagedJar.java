package dev.ebb.host.plugin;

import java.nio.file.Path;

/**
 * A dropped JAR and the private copy that is loaded in its place.
 *
 * @param file the dropped file
 * @param copy the copy, which nobody overwrites with other content
 * @param sha256 of the copy, in hexadecimal
 */
record StagedJar(Path file, Path copy, String sha256) {}
