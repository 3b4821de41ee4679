package dev.ebb.host.cli.plugins;

import dev.ebb.host.cli.options.ConfigOption;
import dev.ebb.host.cli.options.JsonOption;
import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.devkit.project.Libraries;
import dev.ebb.host.devkit.project.NewProject;
import dev.ebb.host.devkit.project.ProjectBuild;
import dev.ebb.host.devkit.project.ProjectKind;
import dev.ebb.host.devkit.project.ProjectLanguage;
import dev.ebb.host.devkit.project.ProjectSpec;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.Json;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.host.units.ShellWord;
import dev.ebb.host.wiring.Host;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ebb plugins new}: creates a project for a new strategy. */
@Command(
    name = "new",
    description = "Creates a project for a new plugin, ready to build",
    showDefaultValues = true,
    sortOptions = false,
    footer = {
      "  ebb plugins new my-policy",
      "  ebb plugins new my-policy --build javac --dir /tmp/my-policy",
      "  ebb plugins new my-tokens --kind token-policy --package com.acme.cache",
      "  ebb plugins new my-budget --kind token-budget --language kotlin --build gradle",
      "",
      "See docs/writing-a-policy.md."
    })
final class PluginsNewCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;
  @Mixin private JsonOption json;
  @Mixin private ConfigOption config;

  @Parameters(
      paramLabel = "NAME",
      description =
          "The strategy's name, by which it is chosen; lower-case letters, digits, dashes")
  private String name;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "The folder to create; by default NAME in the working directory")
  private @Nullable Path folder;

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      defaultValue = "policy",
      description =
          "What it offers: policy (evicts cache entries), token-policy (drops tokens of a"
              + " sequence), token-budget (divides kept tokens among layers and heads), predictor"
              + " (predicts how long an entry will be useful) or preemption (selects the running"
              + " sequence that loses its memory)")
  private ProjectKind kind;

  @Option(
      names = "--package",
      paramLabel = "PACKAGE",
      description = "The package of its classes; by default 'example.' and the name")
  private @Nullable String packageName;

  @Option(
      names = "--build",
      paramLabel = "TOOL",
      defaultValue = "maven",
      description = "The build: maven, gradle, or javac (a script of a few lines)")
  private ProjectBuild build;

  @Option(
      names = "--language",
      paramLabel = "LANGUAGE",
      defaultValue = "java",
      description = "The language: java, or kotlin (with maven or gradle)")
  private ProjectLanguage language;

  private record Created(String folder, String build, String jar, List<String> files) {}

  @Override
  public Integer call() {
    ProjectSpec project =
        Usage.of(spec, () -> ProjectSpec.of(name, kind, packageName, build, language));
    checkFree();
    String home = System.getProperty("ebb.home");
    NewProject made =
        new NewProject(project, Libraries.running(), home == null ? "ebb" : home + "/ebb");
    Path place = folder == null ? Path.of(name) : folder;
    List<String> files = made.write(place);
    PrintWriter out = spec.commandLine().getOut();
    if (json.wanted()) {
      out.println(Json.text(new Created(place.toString(), made.buildCommand(), made.jar(), files)));
    } else {
      files.forEach(file -> out.println("  " + place.resolve(file)));
      out.println(
          "now: cd %s && %s; README.md describes the next steps"
              .formatted(ShellWord.quote(place.toString()), made.buildCommand()));
    }
    out.flush();
    return CommandLine.ExitCode.OK;
  }

  /** Two plugins with the same name block each other, which the author would notice too late. */
  private void checkFree() {
    try (Host host = Host.open(config.load())) {
      if (StrategyKind.ALL.stream()
          .anyMatch(installed -> host.plugins().names(installed).contains(name))) {
        throw new UserError(
            "'%s' is the name of an installed strategy, and names must be unique; choose another"
                .formatted(name));
      }
    }
  }
}
