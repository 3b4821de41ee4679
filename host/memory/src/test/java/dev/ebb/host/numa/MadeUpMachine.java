package dev.ebb.host.numa;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The files of Linux that describe a machine, below a folder. */
final class MadeUpMachine {

  private final Path root;

  MadeUpMachine(Path root) {
    this.root = root;
  }

  MadeUpMachine node(int id, String cpus, long kibibytes, String distances) {
    String folder = "sys/devices/system/node/node" + id;
    file(folder + "/cpulist", cpus + "\n");
    file(
        folder + "/meminfo",
        "Node %d MemTotal:  %d kB\nNode %d MemFree:  1 kB\n".formatted(id, kibibytes, id));
    return file(folder + "/distance", distances + "\n");
  }

  MadeUpMachine gpu(String address, int node) {
    return pci(address, "0x10de", "0x030200", node);
  }

  MadeUpMachine pci(String address, String vendor, String type, int node) {
    String folder = "sys/bus/pci/devices/" + address;
    file(folder + "/vendor", vendor + "\n");
    file(folder + "/class", type + "\n");
    return file(folder + "/numa_node", node + "\n");
  }

  MadeUpMachine allowed(String cpus, String nodes) {
    return file(
        "proc/self/status",
        "Name:\tjava\nCpus_allowed_list:\t%s\nMems_allowed_list:\t%s\n".formatted(cpus, nodes));
  }

  MadeUpMachine file(String name, String text) {
    Path file = root.resolve(name);
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  NumaTopology read() {
    return NumaTopology.read(root);
  }
}
