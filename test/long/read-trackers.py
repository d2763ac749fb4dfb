"""Prints as JSON what TensorBoard's and MLflow's own readers find: numbers as text with every digit."""

import json
import os
import sys


def tensorboard(logs):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.util import tensor_util

    found = {}
    for folder, _, files in os.walk(logs):
        if not files:
            continue
        events = EventAccumulator(folder, size_guidance={"tensors": 0})
        events.Reload()
        tags = found[os.path.relpath(folder, logs)] = {"scalars": {}, "images": {}, "text": {}}
        for tag in events.Tags()["tensors"]:
            plugin = events.SummaryMetadata(tag).plugin_data.plugin_name
            values = [(each.step, tensor_util.make_ndarray(each.tensor_proto)) for each in events.Tensors(tag)]
            if plugin == "scalars":
                assert all(value.dtype == ("float32" if tag.startswith("float32/") else "float64") for _, value in values), tag
                tags[plugin][tag] = [[step, repr(value.item())] for step, value in values]
            elif plugin == "images":
                tags[plugin][tag] = [[width.decode(), height.decode(), len(png)] for _, (width, height, png) in values]
            else:
                tags[plugin][tag] = values[0][1].item().decode()
    return found


def mlflow(url, experiment):
    from mlflow import MlflowClient

    client = MlflowClient(url)
    found = []
    for run in client.search_runs([client.get_experiment_by_name(experiment).experiment_id]):
        history = {
            # Sorted: no order of the server is relied on.
            key: sorted([each.step, repr(each.value)] for each in client.get_metric_history(run.info.run_id, key))
            for key in run.data.metrics
        }
        files = []
        folders = [None]
        while folders:
            for each in client.list_artifacts(run.info.run_id, folders.pop()):
                (folders if each.is_dir else files).append(each.path)
        about = {"id": run.info.run_id, "name": run.info.run_name, "status": run.info.status}
        found.append({**about, "metrics": history, "params": run.data.params, "tags": run.data.tags, "files": files})
    return found


print(json.dumps({"tensorboard": tensorboard, "mlflow": mlflow}[sys.argv[1]](*sys.argv[2:])))
