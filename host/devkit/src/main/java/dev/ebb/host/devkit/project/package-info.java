/** New plugin projects and the Maven archetype, from the same templates. */
package dev.ebb.host.devkit.project;
