"""Runs every module of a folder at all ranks: ranks.py FOLDER RANKS. A line for each: its name and
the number of wrong runs; the order of the stages that its hook saw must be that of the plan."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile


def rank(folder):
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo", init_method=os.environ["MEET"], rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    whole = dist.get_world_size()
    group = dist.new_group(list(range(whole)))
    for file in sorted(pathlib.Path(folder).glob("*.py")):
        spec = importlib.util.spec_from_file_location(file.stem, file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        seen = []
        module.init(on_stage=seen.append)
        wrong = module.check(100)
        wrong += seen != 9 * list(range(len(module.STAGES)))
        module.init(group)
        wrong += module.check(10)
        total = torch.tensor([wrong])
        dist.all_reduce(total)
        if dist.get_rank() == 0:
            print(file.stem, int(total.item()), flush=True)


def main():
    folder, ranks = sys.argv[1], int(sys.argv[2])
    if "RANK" in os.environ:
        return rank(folder)
    with tempfile.TemporaryDirectory() as meeting:
        started = []
        for r in range(ranks):
            env = dict(os.environ, RANK=str(r), WORLD_SIZE=str(ranks), MEET="file://%s/meet" % meeting, OMP_NUM_THREADS="1")
            started.append(subprocess.Popen([sys.executable] + sys.argv, env=env))
        return max(process.wait() for process in started)


if __name__ == "__main__":
    sys.exit(main())
