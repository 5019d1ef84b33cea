"""Reads answers.json with the models of a generated client: name of a response to its content.

Imports every module of the client first. Prints how many it has read, and the status of an order.
"""

import importlib
import json
import pkgutil
import sys
from pathlib import Path

models = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(models.__path__, f"{models.__name__}."):
    importlib.import_module(module.name)
answers = json.loads(Path("answers.json").read_text())
read = {name: getattr(models, name).from_dict(content) for name, content in answers.items()}
print(json.dumps({"read": len(read), "status": read["OrderResponse"].data.status}))
