/** New plugin projects and the Maven archetype, from the same templates. */
@NullMarked
package dev.ebb.host.devkit.project;

import org.jspecify.annotations.NullMarked;
