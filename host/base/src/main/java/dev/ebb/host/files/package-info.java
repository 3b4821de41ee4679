/** Files that appear whole or not at all, and files that other users could replace. */
package dev.ebb.host.files;
