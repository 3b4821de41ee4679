/**
 * Tools for plugin authors: a new project, the verification of a built JAR, and its measurements
 * next to the installed policies.
 */
package dev.ebb.host.devkit;
